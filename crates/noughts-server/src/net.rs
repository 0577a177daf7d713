//! The network code that HTTP and the TCP protocol share: accepting connections, limits, bans, TLS and socket
//! options. This module depends on neither protocol.

mod accept;
mod bans;
mod descriptor_limit;
mod limits;
mod socket;
mod stream;
mod tls;
mod write_timeout;

pub(crate) use accept::{Acceptor, serve_connections};
pub(crate) use bans::Bans;
pub use bans::{InvalidNetwork, Network};
pub use descriptor_limit::raise_descriptor_limit;
pub use limits::ConnectionLimits;
pub(crate) use limits::{
    Connections, Permission, Permit, REFUSED_TIME, TokenBucket, WhenFull, is_exempt, network,
};
pub(crate) use socket::{acknowledge_quickly, prepare};
pub use socket::{listen, listen_for_http};
pub(crate) use stream::NetStream;
pub(crate) use tls::open_stream;
pub use tls::{Tls, TlsError, TlsFiles};
pub(crate) use write_timeout::WriteTimeout;
