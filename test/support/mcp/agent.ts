import { fileURLToPath } from 'node:url';
import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { assertNoSecret } from '../secrets.ts';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** `auto` would start a second process for its probe. */
export const CURRENT_REVISION: VersionNegotiationMode = { pin: '2026-07-28' };

/** The value of a tool call. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly value: any;
}

/** A client of the tools. */
export interface Agent {
  readonly client: Client;
  call(tool: string, args: Record<string, unknown>): Promise<ToolAnswer>;
}

/** An agent whose server runs in a separate process. */
export interface StdioAgent extends Agent {
  /** Standard error of the server so far. */
  errorOutput(): string;
  /** Errors about messages that are not MCP. */
  readonly invalidMessages: readonly Error[];
  close(): Promise<void>;
}

/** Calls tools with the official client. Rejects when a result holds a secret. */
export const agentOf = (client: Client): Agent => ({
  client,
  async call(name, args) {
    const { content, isError = false } = await client.callTool({ name, arguments: args });
    const [part] = content as [{ type: string; text: string }];
    assertNoSecret(part.text, `the result of ${name}`);
    return { isError, value: JSON.parse(part.text) };
  },
});

export const createClient = (mode: VersionNegotiationMode = CURRENT_REVISION): Client =>
  new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });

/** Starts `grimoire mcp` with these settings and connects over standard input and output. */
export async function startStdioAgent(
  settings: Record<string, string> = {},
  mode: VersionNegotiationMode = CURRENT_REVISION,
): Promise<StdioAgent> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp'],
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), LOG_LEVEL: 'info', DEVNET_CHAINS: '1', ...settings },
    stderr: 'pipe',
  });
  let output = '';
  transport.stderr!.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const client = createClient(mode);
  const invalidMessages: Error[] = [];
  client.onerror = (error) => void invalidMessages.push(error);
  await client.connect(transport).catch((error) => {
    throw new Error(`cannot connect: ${output}`, { cause: error });
  });
  return {
    ...agentOf(client),
    errorOutput: () => output,
    invalidMessages,
    async close() {
      await client.close();
      assertNoSecret(output, 'the output of the server');
    },
  };
}
