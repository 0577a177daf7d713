// Two people play six games over a network with 200 ms latency that loses 2 % of the requests.

import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../harness.js";
import { lossyProxy } from "../lossy_proxy.js";

const here = world();

test("six games in a row between two people, with 200 ms latency and 2 % lost requests", async () => {
  const proxy = await lossyProxy(here.server.port, { latencyMs: 200, every: 50 });
  try {
    const [ann, bob] = [await here.person(), await here.person()];
    // If the first request of a page is lost, the page shows a message, and the test clicks again.
    await ann.page.goto(`${proxy.url}/new`);
    await ann.page.getByLabel("Opponent").selectOption("link");
    const four = ann.button("Connect Four");
    await four.click();
    await ann.page.waitForURL(/\/game\//).catch(() => four.click());
    await ann.page.waitForURL(/\/game\//);
    await bob.page.goto(ann.page.url());
    await bob.button("Sit down").click();
    await ann.reads("Your turn.");
    let [first, second] = [ann, bob];
    for (let game = 0; game < 6; game++) {
      for (const [at, column] of [3, 4, 3, 4, 3, 4, 3].entries()) {
        const who = at % 2 ? second : first;
        await who.isUp();
        await who.cell(`0-${column}`).click();
        const row = 5 - Math.floor(at / 2);
        for (const one of [first, second]) await one.hasMark(`${row}-${column}`, at % 2);
      }
      await first.reads("You win.");
      await second.reads("wins.");
      if (game === 5) break;
      const address = first.page.url();
      await first.button("Play again").click();
      await second.button("Accept").click();
      for (const who of [first, second]) await who.page.waitForURL((url) => url.href !== address);
      [first, second] = [second, first];
    }
    const { requests, lost } = proxy.counts();
    console.log(`# ${requests} requests to the API, ${lost} lost`);
    assert.ok(lost >= 2, `${lost} of ${requests} requests were lost`);
    for (const who of [ann, bob]) assert.deepEqual(who.troubles, []);
  } finally {
    proxy.close();
  }
});
