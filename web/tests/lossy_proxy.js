// A proxy that delays every answer and drops some messages: first an answer, then a request, so that the server does not
// get it, then an answer again, and so on.

import { once } from "node:events";
import { createServer, request as send } from "node:http";

/**
 * @param {number} port of the server on this machine
 * @param {{ latencyMs: number, every: number }} how one in `every` requests to the API gets no answer
 */
export async function lossyProxy(port, { latencyMs, every }) {
  let [requests, lost] = [0, 0];
  const proxy = createServer((incoming, outgoing) => {
    // Documents and modules are not lost: the browser would show its own error page.
    const isApi = incoming.url?.startsWith("/api/");
    if (isApi) requests++;
    const isLost = isApi && requests % every === 0;
    if (isLost) lost++;
    const isLostBefore = isLost && lost % 2 === 0;
    if (isLostBefore) return void setTimeout(() => incoming.socket.destroy(), latencyMs);
    const { method = "GET", url = "/", headers } = incoming;
    const passed = send({ port, host: "127.0.0.1", method, path: url, headers }, (answer) => {
      setTimeout(() => {
        if (isLost) return void incoming.socket.destroy();
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
      }, latencyMs);
    });
    passed.on("error", () => incoming.socket.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  const own = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${own}`,
    counts: () => ({ requests, lost }),
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
