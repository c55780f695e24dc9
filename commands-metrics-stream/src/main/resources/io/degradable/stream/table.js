'use strict';

const EVERY = 1000, STALE_AFTER = 3000;
const SOURCES = ['primary', 'spare', 'cache', 'static', 'none'];
// A state is never told by its colour alone.
const MARKS = { closed: '●', open: '○', half_open: '◐', ramping: '◕', forced_open: '⊘', forced_closed: '◉' };
const byId = id => document.getElementById(id);
let last = null, lastAt = 0;

async function refresh() {
  try {
    const answer = await fetch('degradable/v1/state', { cache: 'no-store', signal: AbortSignal.timeout(2 * EVERY) });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const state = await answer.json();
    show(state, last);
    last = state;
    lastAt = performance.now();
  } catch (e) {
    console.warn('no data:', e.message); // the status line says since when
  }
  setTimeout(refresh, EVERY);
}

function tellAge() {
  const age = performance.now() - lastAt;
  const stale = age > STALE_AFTER;
  document.body.classList.toggle('stale', stale);
  if (last) {
    byId('status').textContent = stale
      ? `last data ${Math.round(age / 1000)} s ago`
      : `live · counted since ${new Date(last.startedAt).toLocaleString()}`;
  } else if (stale) {
    byId('status').textContent = `no data for ${Math.round(age / 1000)} s`;
  }
}

function show(state, before) {
  const same = before && before.startedAt === state.startedAt && state.now > before.now;
  const seconds = same ? (state.now - before.now) / 1000 : 0;
  const earlier = new Map(same ? before.commands.map(command => [command.name, command]) : []);
  byId('service').textContent = document.title = state.service;
  byId('commands').replaceChildren(...state.commands.map(command => row(command, earlier.get(command.name), seconds)));
}

function row(command, before, seconds) {
  const count = (of, bad, group) => countCell(of(command), before && (of(command) - of(before)) / seconds, bad, group);
  const event = (...names) => of => names.reduce((sum, name) => sum + of.events[name], 0);
  return element('tr', '',
    element('td', 'text', command.name, element('small', '', command.group)),
    count(of => of.received),
    ...SOURCES.map(source => count(of => of.served[source], source === 'none', source === 'primary')),
    count(event('FALLBACK_SUCCESS'), false, true),
    count(event('FALLBACK_FAILURE', 'FALLBACK_REJECTION'), true),
    count(event('FALLBACK_MISSING'), true),
    element('td', 'text group', ...command.stages.filter(stage => MARKS[stage.breaker.state]).map(breaker)));
}

function countCell(total, rate, bad, group) {
  const tone = !rate ? 'zero' : bad ? 'bad' : '';
  const perSecond = rate === undefined ? '–' : rate && rate < 10 ? rate.toFixed(1) : rate.toFixed(0);
  return element('td', `${tone} ${group ? 'group' : ''}`, perSecond, element('small', '', total.toLocaleString()));
}

function breaker(stage) {
  const { state } = stage.breaker;
  return element('span', 'breaker', element('i', '', stage.name),
    element('span', state, `${MARKS[state]} ${state.replace('_', '-')}`));
}

function element(name, classes, ...content) {
  const made = document.createElement(name);
  made.className = classes.trim();
  made.append(...content); // text stays text: nothing here is ever read as markup
  return made;
}

setInterval(tellAge, 250);
refresh();
