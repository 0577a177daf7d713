//! The bytes of an HTTP request.

/// A request after which the server closes the connection. The token is sent unless it is empty. A body is JSON, unless
/// a header says otherwise.
pub(crate) fn request_bytes(
    method: &str,
    path: &str,
    token: &str,
    headers: &[(&str, &str)],
    body: Option<&[u8]>,
) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n");
    if !token.is_empty() {
        head += &format!("Authorization: Bearer {token}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if let Some(body) = body {
        if !headers.iter().any(|(name, _)| *name == "Content-Type") {
            head += "Content-Type: application/json\r\n";
        }
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    [head.as_bytes(), b"\r\n", body.unwrap_or_default()].concat()
}
