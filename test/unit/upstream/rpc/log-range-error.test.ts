import { expect, test } from '@jest/globals';
import { LogRangeError, type LogRangeHint, parseLogRangeHint } from '../../../../src/upstream/rpc/log-range-limit.ts';
import { errorFromRpcError } from '../../../../src/upstream/rpc/rpc-errors.ts';

const blocks = (maxBlocks?: number): LogRangeHint => ({ limitsBlocks: true, ...(maxBlocks && { maxBlocks }) });
const results = (maxBlocks?: number, minResults?: number): LogRangeHint => ({
  limitsBlocks: false,
  ...(maxBlocks && { maxBlocks }),
  ...(minResults && { minResults }),
});

/** Texts as the services send them, and what they state. */
const REJECTIONS: readonly (readonly [service: string, code: number, text: string, hint: LogRangeHint])[] = [
  [
    'Alchemy',
    -32602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0x133333]',
    results(0x133334, 10_000),
  ],
  [
    'Alchemy without a range',
    -32602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size',
    results(),
  ],
  [
    'Alchemy (free)',
    -32600,
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1180fca, 0x1180fd3]. Upgrade to PAYG for expanded block range.',
    blocks(10),
  ],
  [
    'Alchemy (timeout)',
    -32000,
    'Query timeout exceeded. Consider reducing your block range. Based on your parameters and the response size limit, this block range should work: [0x5223c98, 0x5223e80]',
    results(0x1e9),
  ],
  [
    'Infura',
    -32005,
    'query returned more than 10000 results. Try with this block range [0x83D3F0, 0x83D5F3].',
    results(0x204, 10_000),
  ],
  ['Infura (range)', -32602, 'range 1000000 exceeds limit of 10000', blocks(10_000)],
  ['Infura (duration)', -32005, 'query timeout exceeded', results()],
  ['QuickNode', -32614, 'eth_getLogs is limited to a 10,000 range', blocks(10_000)],
  ['QuickNode (free)', -32614, 'eth_getLogs is limited to a 5 range', blocks(5)],
  ['BlastAPI', -32000, 'eth_getLogs is limited to a 10,000 blocks range', blocks(10_000)],
  ['BlastAPI (paid)', -32000, 'block range exceeds the range allowed for your plan (7000 > 5000).', blocks(5_000)],
  ['1RPC', -32602, 'eth_getLogs is limited to 0 - 10000 blocks range', blocks(10_000)],
  ['1RPC (size)', -32602, 'response size should not greater than 10000000 bytes', results()],
  ['BlockPI', -32602, 'eth_getLogs is limited to 1024 block range', blocks(1_024)],
  ['Ankr', -32600, 'block range is too wide', blocks()],
  ['Ankr (TAC)', -32000, 'maximum [from, to] blocks distance: 10000', blocks(10_000)],
  ['publicnode', -32701, 'exceed maximum block range: 50000', blocks(50_000)],
  ['dRPC', 35, 'ranges over 10000 blocks are not supported on freetier', blocks(10_000)],
  ['Cloudflare', -32047, 'Invalid eth_getLogs request. "fromBlock"-"toBlock" range too large. Max range: 800', blocks(800)],
  ['thirdweb', -32602, 'Maximum allowed number of requested blocks is 1000', blocks(1_000)],
  ['Coinbase', -32602, 'please limit the query to at most 1,000 blocks', blocks(1_000)],
  ['Chainstack', -32602, 'Block range limit exceeded. See more details at the documentation.', blocks()],
  ['Tenderly', -32602, 'range 9009594 is bigger than range limit 2000', blocks(2_000)],
  ['Merkle', -32602, 'eth_getLogs range is too large, max is 10k blocks', blocks(10_000)],
  ['Swell', -32602, 'block range greater than 10000 max', blocks(10_000)],
  ['Somnia', -32602, 'block range exceeds 1000', blocks(1_000)],
  ['Harmony', -32000, 'query must be smaller than size 1024', blocks(1_024)],
  ['Moonbeam', -32603, 'block range is too wide (maximum 1024)', blocks(1_024)],
  ['Aurora', -32602, 'You can make eth_getLogs requests with up to a 2000 block range.', blocks(2_000)],
  ['Avalanche', -32000, 'requested too many blocks from 0 to 5000000, maximum is set to 2048', blocks(2_048)],
  ['Arbitrum', -32000, 'logs matched by query exceeds limit of 10000', results(undefined, 10_000)],
  ['Optimism', -32020, 'backend response too large', results()],
  ['Base', -32012, 'requested range too large', blocks()],
  ['Tron', -32600, 'exceed max block range: 5000', blocks(5_000)],
  ['Morph', -32000, 'block range is larger than max block range, block range = 5120, max block range = 5000', blocks(5_000)],
  ['CDK Erigon', -32005, 'block range too large, max range: 1000', blocks(1_000)],
  ['Sei', -32000, 'block range too large (2000), maximum allowed is 1000 blocks', blocks(1_000)],
  ['geth', -32602, 'exceed max block range 10000', blocks(10_000)],
  ['Reth', -32602, 'query exceeds max block range 100000', blocks(100_000)],
  ['Reth (results)', -32602, 'query exceeds max results 20000, retry with the range 6000000-6000509', results(510, 20_000)],
  ['Besu', -32005, 'Requested range exceeds maximum RPC range limit', blocks()],
  ['Nethermind', -32005, 'Too many logs requested. Max logs per response is 20000.', results(undefined, 20_000)],
];

test.each(REJECTIONS)('the rejection of a log search by %s (%i) is RESULT_TOO_LARGE with its hint: "%s"', (...rejection) => {
  const [_service, code, message, hint] = rejection;
  const error = errorFromRpcError('eth_getLogs', { code, message });
  expect(error).toBeInstanceOf(LogRangeError);
  expect((error as LogRangeError).hint).toEqual(hint);
  // The text of the node, which may contain a key, is not passed on.
  expect(error.extensions).toEqual({
    code: 'RESULT_TOO_LARGE',
    retryable: false,
    source: 'node',
    method: 'eth_getLogs',
    rpcCode: code,
  });
  expect(error.message).toBe('The node limits the size of a log query. Request fewer blocks or a narrower filter.');
});

test.each([
  ['a range that ends before its start', 'query exceeds max results 20000, retry with the range 9-3', results(undefined, 20_000)],
  ['a range beyond safe integers', `this block range should work: [0x0, 0x${'f'.repeat(32)}]`, blocks()],
  ['a maximum of 0 blocks', 'exceed maximum block range: 0', blocks()],
])('a log range hint without a usable number is ignored: %s', (_case, text, hint) => {
  expect(parseLogRangeHint(text)).toEqual(hint);
});

test.each([
  [-32602, 'block range extends beyond current head block', 'BLOCK_NOT_AVAILABLE'],
  [-32602, 'invalid block range params', 'UPSTREAM_PROTOCOL_ERROR'],
  [-32005, 'daily request count exceeded, request rate limited', 'UPSTREAM_RATE_LIMITED'],
  [-32005, 'Request rate limit exceeded: 50 requests over a 10 second range', 'UPSTREAM_RATE_LIMITED'],
  [-32002, 'request timed out', 'UPSTREAM_UNAVAILABLE'],
])('another error of a log search is not taken for a limit: %i %s', (code, message, expected) => {
  expect(errorFromRpcError('eth_getLogs', { code, message }).code).toBe(expected);
});

test('the dot before a k is a decimal point', () => {
  expect(parseLogRangeHint('block range exceeds 2.5k limit')).toEqual(blocks(2_500));
});

test('an error of another method has no hint', () => {
  expect(errorFromRpcError('eth_getBlockByNumber', { code: -32003, message: 'response too large' })).not.toBeInstanceOf(
    LogRangeError,
  );
});
