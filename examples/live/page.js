// Shows new blocks, transfers and duels. The graph serves this page at /live/; it uses only ../follow.mjs.
import { createClient } from 'graphql-ws';
import { follow } from '../follow.mjs';

const MAX_ROWS = 20;

const client = createClient({
  url: new URL('../graphql', location.href).href.replace(/^http/, 'ws'),
  retryAttempts: 0,
  keepAlive: 10_000,
});

const elementById = (id) => document.getElementById(id);
const state = elementById('state');

const show = (text, live) => {
  state.textContent = text;
  state.classList.toggle('live', live);
};
client.on('connected', () => show('live', true));
client.on('closed', () => show('disconnected, retrying', false));

/** Adds a row at the top and removes the oldest one. */
function add(list, key, ...texts) {
  const row = document.createElement('li');
  row.dataset.key = key;
  for (const [tag, text] of texts) row.appendChild(document.createElement(tag)).textContent = text;
  list.prepend(row);
  while (list.children.length > MAX_ROWS) list.lastElementChild.remove();
}

const rowOf = (list, key) => [...list.children].find((row) => row.dataset.key === key && !row.classList.contains('removed'));

async function heads() {
  const query = `subscription Heads($after: Bytes32) {
    newHeads(after: $after) { number hash gasUsed replaces block { transactionCount } }
  }`;
  for await (const { newHeads } of follow(client, { query, cursorOf: ({ newHeads }) => newHeads.hash })) {
    const { number, hash, replaces, block } = newHeads;
    // After a reorg a height repeats: its block and all blocks above it are replaced.
    if (replaces)
      for (const row of elementById('heads').children)
        if (Number(row.dataset.key) >= Number(number)) row.classList.add('removed');
    add(
      elementById('heads'),
      number,
      ['b', Number(number)],
      ['span', `${Number(block?.transactionCount ?? 0)} transactions`],
      ['code', hash],
    );
  }
}

async function logs() {
  const query = `subscription Logs($after: String) {
    logs(after: $after) { cursor removed blockNumber blockHash index account { address } topics }
  }`;
  for await (const { logs: log } of follow(client, { query, cursorOf: ({ logs }) => logs.cursor })) {
    const key = `${log.blockHash} ${log.index}`;
    if (log.removed) rowOf(elementById('logs'), key)?.classList.add('removed');
    else
      add(
        elementById('logs'),
        key,
        ['b', Number(log.blockNumber)],
        ['code', log.account.address],
        ['code', log.topics[0] ?? 'no topic'],
      );
  }
}

for (const watch of [heads, logs]) watch().catch((error) => show(error.message ?? 'ended', false));
