//! Certificates for tests.

use std::fs;
use std::path::Path;

use rcgen::{BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair};

/// A certificate authority that only these tests trust.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    pub(crate) fn new() -> Authority {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let name = &mut params.distinguished_name;
        name.push(DnType::CommonName, "authority of tests");
        let pem = params.self_signed(&key).unwrap().pem();
        Authority {
            issuer: Issuer::new(params, key),
            pem,
        }
    }

    /// The authority's own certificate.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// Issues a certificate for `localhost`, and returns the certificate and its key.
    pub(crate) fn issue(
        &self,
        change: impl FnOnce(&mut CertificateParams),
    ) -> (Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        change(&mut params);
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// Writes `ca.pem`, `cert.pem` and `key.pem` into a folder.
    pub(crate) fn write(&self, folder: &Path, change: impl FnOnce(&mut CertificateParams)) {
        let (certificate, key) = self.issue(change);
        fs::write(folder.join("ca.pem"), self.pem()).unwrap();
        fs::write(folder.join("cert.pem"), certificate.pem()).unwrap();
        fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
    }
}
