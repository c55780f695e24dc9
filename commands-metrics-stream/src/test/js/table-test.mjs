// Runs the page's script against a document made of a few lines, and checks what it shows.
//   node table-test.mjs table.js
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

class Element {
  constructor(name) { this.name = name; this.className = ''; this.children = []; this.classes = new Set(); }
  get classList() { return { toggle: (name, on) => (on ? this.classes.add(name) : this.classes.delete(name)) }; }
  append(...more) { this.children.push(...more); }
  replaceChildren(...all) { this.children = all; }
  set textContent(text) { this.children = [String(text)]; }
  get textContent() { return this.children.map(child => child.textContent ?? child).join(' '); }
}

function open() {
  const page = { clock: 0, answer: null, next: null, elements: new Map(), body: new Element('body') };
  const byId = id => page.elements.get(id) ?? page.elements.set(id, new Element(id)).get(id);
  vm.runInNewContext(readFileSync(process.argv[2], 'utf8'), {
    document: { getElementById: byId, createElement: name => new Element(name), body: page.body },
    fetch: async () => {
      if (!page.answer) throw new Error('connection refused');
      return page.answer;
    },
    performance: { now: () => page.clock },
    setTimeout: then => { page.next = then; },
    setInterval: tell => { page.tell = tell; },
    AbortSignal: { timeout: () => undefined },
    console: { warn() {} },
  });
  page.status = () => byId('status').textContent;
  page.rows = () => byId('commands').children.map(row => row.children.map(cell => cell.textContent));
  page.cells = row => byId('commands').children[row].children;
  page.pass = async (millis, answer) => {
    page.clock += millis;
    page.answer = answer && { ok: true, json: async () => answer };
    const refresh = page.next;
    page.next = null;
    await refresh();
    page.tell();
  };
  return page;
}

const stage = (name, state) => ({ name, breaker: { state } });
const command = (name, received, served, events = {}) => ({
  name,
  group: 'oracle',
  received,
  served: { primary: 0, spare: 0, cache: 0, static: 0, none: 0, ...served },
  events: { FALLBACK_SUCCESS: 0, FALLBACK_FAILURE: 0, FALLBACK_REJECTION: 0, FALLBACK_MISSING: 0, ...events },
  stages: [stage('primary', 'half_open'), stage('spare', 'open'), stage('cache', 'disabled')],
});
const state = (now, ...commands) => ({ service: 'shop', now, startedAt: 5, commands });

let passed = 0;
async function check(what, of) {
  const page = open();
  await new Promise(setImmediate); // the first refresh, which finds nobody
  try {
    await of(page);
    passed++;
  } catch (e) {
    console.error(`FAILED ${what}\n${e.stack}`);
    process.exitCode = 1;
  }
}

await check('totals are there at once, rates with the second answer', async page => {
  await page.pass(1000, state(1000, command('GetAnswer', 1234, { primary: 1200, spare: 34 })));
  assert.deepEqual(page.rows()[0].slice(0, 4), ['GetAnswer oracle', '– 1,234', '– 1,200', '– 34']);
  await page.pass(1000, state(3000, command('GetAnswer', 1334, { primary: 1297, spare: 37 })));
  assert.deepEqual(page.rows()[0].slice(1, 4), ['50 1,334', '49 1,297', '1.5 37']);
});

await check('fallbacks are ok, failed or none', async page => {
  const before = { FALLBACK_SUCCESS: 1, FALLBACK_FAILURE: 2, FALLBACK_REJECTION: 3, FALLBACK_MISSING: 4 };
  const after = { FALLBACK_SUCCESS: 21, FALLBACK_FAILURE: 32, FALLBACK_REJECTION: 13, FALLBACK_MISSING: 54 };
  await page.pass(1000, state(1000, command('GetAnswer', 9, {}, before)));
  await page.pass(1000, state(2000, command('GetAnswer', 9, {}, after)));
  assert.deepEqual(page.rows()[0].slice(7, 10), ['20 21', '40 45', '50 54']);
  assert.match(page.cells(0)[8].className, /bad/);
  assert.doesNotMatch(page.cells(0)[7].className, /bad/);
});

await check('a breaker has a mark and a word, and none where there is no breaker', async page => {
  await page.pass(1000, state(1000, command('GetAnswer', 0)));
  assert.equal(page.rows()[0].at(-1), 'primary ◐ half-open spare ○ open');
  const held = command('GetAnswer', 0);
  held.stages = [stage('primary', 'ramping'), stage('spare', 'forced_open'), stage('replica', 'forced_closed')];
  await page.pass(1000, state(2000, held));
  assert.equal(page.rows()[0].at(-1), 'primary ◕ ramping spare ⊘ forced-open replica ◉ forced-closed');
});

await check('nothing is shown as new when the service has started again', async page => {
  await page.pass(1000, state(1000, command('GetAnswer', 500)));
  await page.pass(1000, { ...state(2000, command('GetAnswer', 7)), startedAt: 1500 });
  assert.equal(page.rows()[0][1], '– 7');
});

await check('a command that joins has no rate yet', async page => {
  await page.pass(1000, state(1000, command('Old', 10)));
  await page.pass(1000, state(2000, command('New', 99), command('Old', 20)));
  assert.deepEqual(page.rows().map(row => row[1]), ['– 99', '10 20']);
});

await check('names are text, whatever they look like', async page => {
  const hostile = '<img src=x onerror=alert(1)>';
  await page.pass(1000, state(1000, command(hostile, 1)));
  assert.equal(page.cells(0)[0].children[0], hostile);
});

await check('old data is dimmed and says how old it is, until there is new', async page => {
  await page.pass(1000, state(1000, command('GetAnswer', 1)));
  assert.match(page.status(), /^live/);
  assert.ok(!page.body.classes.has('stale'));
  await page.pass(7000, null);
  assert.equal(page.status(), 'last data 7 s ago');
  assert.ok(page.body.classes.has('stale'));
  assert.equal(page.rows().length, 1);
  await page.pass(1000, state(9000, command('GetAnswer', 2)));
  assert.match(page.status(), /^live/);
  assert.ok(!page.body.classes.has('stale'));
});

await check('a page that never got data says so', async page => {
  await page.pass(5000, null);
  assert.equal(page.status(), 'no data for 5 s');
});

console.log(`${passed} checks passed`);
