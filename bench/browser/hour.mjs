// An hour of work in a page, in a minute or two: what it keeps of it once it is over.
import { withMock } from "./mock.mjs";
import { withBrowser } from "./page.mjs";

const SESSIONS = 40;
/** The terminals that the page keeps on purpose: those seen last. */
const KEPT = 6;
const STATES = ["working", "permission", "working", "question", "working", "done", "idle"];

export async function hour(_programs, quick, sheet) {
  const minutes = quick ? 10 : 60;
  await withMock(SESSIONS, (mock) =>
    withBrowser(async (context) => {
      await context.addInitScript(countSockets);
      const page = await mock.enter(context);
      // One group: whatever the states are, every row is there.
      await page.goto(mock.at("/?by=none"));
      const cdp = await context.newCDPSession(page);
      const work = new Work(mock, page);
      // What is loaded once, such as the terminal, is no growth.
      for (let minute = 0; minute < 3; minute += 1) await work.minute(minute);
      const before = await atRest(page, cdp, mock);
      for (let minute = 3; minute < minutes + 3; minute += 1) await work.minute(minute);
      const after = await atRest(page, cdp, mock);
      const { events, made, attached } = work;
      const note = `after a collection, in the same place; ${events} events, ${made} sessions made and purged, ${attached} terminals opened`;
      const put = (name, value, unit, target, more = "") =>
        sheet.lower("browser-hour", `an hour in a page: ${name}`, value, unit, { target, note: more });
      put("growth of its heap", (after.heap - before.heap) / 2 ** 20, "MiB", 20, note);
      put("sockets too many", after.sockets - 1, "", 0, "beside that of the terminal that is seen");
      put("terminals too many", Math.max(0, after.terminals - KEPT), "", 0, `in the heap, beside the ${KEPT} that are kept`);
      put("growth of its nodes", after.nodes - before.nodes, "nodes");
      put("growth of its listeners", after.listeners - before.listeners, "listeners");
    }),
  );
}

/** What agents and a person do, minute by minute; the same in each run. */
class Work {
  events = 0;
  made = 0;
  attached = 0;
  open = [];

  constructor(mock, page) {
    this.mock = mock;
    this.page = page;
  }

  async minute(number) {
    const { mock, page } = this;
    for (let i = 0; i < 80; i += 1) {
      const id = `s${String(1 + ((number * 7 + i * 3) % 13)).padStart(3, "0")}`;
      const state = STATES[(number + i) % STATES.length];
      const at = new Date().toISOString();
      const why = `Event ${number}.${i}: ${"words ".repeat(i % 9)}`;
      const evidence = [{ source: "hook", says: why, at }];
      const attention = { state, since: at, source: "hook", confidence: 0.97, why, evidence };
      await mock.make({ session: id, change: { attention, terminal_title: `turn ${i}` } });
      this.events += 1;
    }
    for (const id of this.open.splice(0)) await mock.call("POST", `/sessions/${id}/purge`);
    for (let i = 0; i < 3; i += 1) {
      const { id } = await mock.call("POST", "/sessions", { title: `Made ${number} ${i}`, repo: "/home/you/code/ledger", agent: "claude" });
      this.open.push(id);
      this.made += 1;
    }
    for (let i = 0; i < 4; i += 1) {
      const id = `s${String(1 + ((number * 4 + i) % 13)).padStart(3, "0")}`;
      await page.locator(`#row-${id} a`).click();
      await page.waitForSelector('.term[data-status="live"]');
      this.attached += 1;
      for (let line = 0; line < 10; line += 1)
        await mock.make({ session: id, output: `minute ${number} line ${line} ${"output ".repeat(60)}\r\n` });
    }
    await page.locator("#row-s001 a").click();
    await page.keyboard.press("2");
    await page.waitForSelector(".l, [role=treeitem]");
    // There the diff has the place of the list.
    await page.keyboard.press("1");
    await page.locator("#filter").focus();
    await page.keyboard.type("ledger");
    await page.keyboard.press("Escape");
  }
}

/** Goes to the same place each time, lets what leaves leave, and counts. */
async function atRest(page, cdp, mock) {
  await page.locator("#row-s001 a").click();
  await page.waitForSelector('.term[data-status="live"]');
  // A terminal that is not seen leaves after 3 s.
  await page.waitForFunction(() => window.benchSockets() <= 1, null, { timeout: 15_000 }).catch(() => undefined);
  await mock.make({ session: "s001", output: "rest\r\n" });
  for (let i = 0; i < 3; i += 1) await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await cdp.send("Memory.getDOMCounters");
  return {
    heap: usedSize,
    nodes,
    listeners: jsEventListeners,
    sockets: await page.evaluate(() => window.benchSockets()),
    terminals: await alive(cdp),
  };
}

/** The terminals that are in the heap, whether they are on the page or not. */
async function alive(cdp) {
  const group = { objectGroup: "bench" };
  const { result } = await cdp.send("Runtime.evaluate", { expression: "HTMLDivElement.prototype", ...group });
  const { objects } = await cdp.send("Runtime.queryObjects", { prototypeObjectId: result.objectId, ...group });
  const count = await cdp.send("Runtime.callFunctionOn", {
    functionDeclaration: 'function () { return this.filter((el) => el.classList.contains("xterm")).length; }',
    objectId: objects.objectId,
    returnByValue: true,
  });
  await cdp.send("Runtime.releaseObjectGroup", group);
  return count.result.value;
}

/** Runs in the page, before it. */
function countSockets() {
  if (location.protocol !== "http:") return;
  const open = new Set();
  window.WebSocket = class extends WebSocket {
    constructor(...args) {
      super(...args);
      open.add(this);
      this.addEventListener("close", () => open.delete(this));
    }
  };
  window.benchSockets = () => open.size;
}
