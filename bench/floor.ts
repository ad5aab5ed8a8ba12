import { createServer } from 'node:http';
import { listen, readBody } from './http-helpers.ts';
import { type Call, hex, sendBatch } from './node-calls.ts';
import { accountAddresses } from './scenarios.ts';

// The cost of the scenarios without GraphQL: one minimal batch to the node, JSON.parse, and a hand-written response. Nothing is
// validated, and errors are not reported.

type Wire = Readonly<Record<string, string>>;
type WireBlock = Wire & { readonly transactions: readonly Wire[] };
type WireReceipt = Wire & { readonly logs: readonly (Wire & { readonly topics: readonly string[] })[] };
interface GraphRequestBody {
  readonly operationName: string;
  readonly variables: { readonly number: number; readonly from: number; readonly to: number };
}

/** Writes a JSON list item by item. */
function list<T>(items: readonly T[], write: (item: T, i: number) => string): string {
  let text = '[';
  for (let i = 0; i < items.length; i++) text += (i === 0 ? '' : ',') + write(items[i]!, i);
  return `${text}]`;
}

const header = (b: Wire) =>
  `"number":"${b.number}","hash":"${b.hash}","parentHash":"${b.parentHash}","timestamp":"${b.timestamp}","gasUsed":"${b.gasUsed}"`;

const transaction = (t: Wire) =>
  `"hash":"${t.hash}","nonce":"${t.nonce}","index":"${t.transactionIndex}","blockNumber":"${t.blockNumber}",` +
  `"from":{"address":"${t.from}"},"to":{"address":"${t.to}"},"value":"${t.value}","gas":"${t.gas}","gasPrice":"${t.gasPrice}",` +
  `"maxFeePerGas":"${t.maxFeePerGas}","maxPriorityFeePerGas":"${t.maxPriorityFeePerGas}","inputData":"${t.input}",` +
  `"type":"${t.type}","v":"${t.v}","yParity":"${t.yParity}"`;

const receiptAndLogs = (r: WireReceipt) =>
  `"receipt":{"status":"${r.status}","gasUsed":"${r.gasUsed}","cumulativeGasUsed":"${r.cumulativeGasUsed}",` +
  `"effectiveGasPrice":"${r.effectiveGasPrice}"},"logs":${list(
    r.logs,
    (log) =>
      `{"index":"${log.logIndex}","account":{"address":"${log.address}"},` +
      `"topics":${list(log.topics, (topic) => `"${topic}"`)},"data":"${log.data}"}`,
  )}`;

const blockWithReceipts = (block: WireBlock, receipts: readonly WireReceipt[]) =>
  `{${header(block)},"transactions":${list(block.transactions, (t, i) => `{${transaction(t)},${receiptAndLogs(receipts[i]!)}}`)}}`;

async function blockWithReceiptsResponse({ number }: GraphRequestBody['variables']): Promise<string> {
  const results = await sendBatch([
    ['eth_getBlockByNumber', hex(number), true],
    ['eth_getBlockReceipts', hex(number)],
  ]);
  return `{"block":${blockWithReceipts(...(results as [WireBlock, WireReceipt[]]))}}`;
}

const readBlock = async (number: number, isFull: boolean): Promise<WireBlock> =>
  ((await sendBatch([['eth_getBlockByNumber', hex(number), isFull]])) as [WireBlock])[0];

async function blockResponse({ number }: GraphRequestBody['variables']): Promise<string> {
  return `{"block":{${header(await readBlock(number, false))}}}`;
}

const writers: Readonly<Record<string, (variables: GraphRequestBody['variables']) => Promise<string>>> = {
  block: blockResponse,
  blockAgain: blockResponse,

  async hashes({ number }) {
    const block = await readBlock(number, false);
    return `{"block":{${header(block)},"transactions":${list(block.transactions, (hash) => `{"hash":"${hash}"}`)}}}`;
  },

  async accounts() {
    const results = await sendBatch(
      accountAddresses.flatMap((address): Call[] => [
        ['eth_getBalance', address, 'latest'],
        ['eth_getTransactionCount', address, 'latest'],
        ['eth_getCode', address, 'latest'],
      ]),
    );
    let text = '';
    for (let i = 0; i < accountAddresses.length; i++) {
      const [balance, transactionCount, code] = results.slice(3 * i, 3 * i + 3);
      text += `${i === 0 ? '' : ','}"a${i}":{"balance":"${balance}","transactionCount":"${transactionCount}","code":"${code}"}`;
    }
    return `{${text}}`;
  },

  async transactions({ number }) {
    const block = await readBlock(number, true);
    return `{"block":{${header(block)},"transactions":${list(block.transactions, (t) => `{${transaction(t)}}`)}}}`;
  },

  receipts: blockWithReceiptsResponse,
  again: blockWithReceiptsResponse,

  async blocks({ from, to }) {
    const heights = Array.from({ length: to - from + 1 }, (_, i) => hex(from + i));
    const results = await sendBatch(
      heights.flatMap((height): Call[] => [
        ['eth_getBlockByNumber', height, true],
        ['eth_getBlockReceipts', height],
      ]),
    );
    return `{"blocks":${list(heights, (_, i) => blockWithReceipts(results[2 * i] as WireBlock, results[2 * i + 1] as WireReceipt[]))}}`;
  },
};

const server = createServer(async (request, response) => {
  const { operationName, variables } = JSON.parse(await readBody(request)) as GraphRequestBody;
  const data = await writers[operationName]!(variables);
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(`{"data":${data}}\n`);
});

listen(server);
