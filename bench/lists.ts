import { buildSchema, execute, type OperationDefinitionNode, parse } from 'graphql';
import { createExecutor } from '../src/graphql/executor/index.ts';
import { formatNumber, median } from './table.ts';

// The list benchmarks of graphql-js (`list-sync`, `list-async`) with each executor: time for a response as JSON text.

const ROUNDS = 15;
const ROUND_MS = 150;
const TYPE_DEFS = 'type Query { listField: [String] }';
const QUERY = '{ listField }';
const indexes = Array.from({ length: 1_000 }, (_, i) => i);

const lists: Readonly<Record<string, () => unknown>> = {
  'list of 1,000 values': () => [...indexes],
  'list of 1,000 promises': () => indexes.map((i) => Promise.resolve(i)),
};

type Executors = Readonly<Record<string, () => Promise<string>>>;

function ourExecutors(listField: () => unknown): Executors {
  const [schema, document, root] = [buildSchema(TYPE_DEFS), parse(QUERY), { listField }];
  const operation = document.definitions[0] as OperationDefinitionNode;
  const executor = createExecutor(schema);
  return {
    graphql16: async () => JSON.stringify(await execute({ schema, document, rootValue: root })),
    async ours() {
      const { data } = await executor.execute({ document, operation, variableValues: {}, context: {}, root });
      return `{"data":${data}}`;
    },
  };
}

/** Microseconds of one execution. */
async function measureRound(run: () => Promise<string>): Promise<number> {
  const start = performance.now();
  let count = 0;
  for (; performance.now() - start < ROUND_MS; count++) await run();
  return ((performance.now() - start) / count) * 1_000;
}

const { createExecutors } = (await import(new URL('../../contenders/dist/contenders/lists.js', import.meta.url).href)) as {
  createExecutors: (typeDefs: string, query: string, listField: () => unknown) => Executors;
};
process.stdout.write('| list | executor | time, graphql-js 16 = 1 | min - max |\n|---|---|---|---|\n');
for (const [name, list] of Object.entries(lists)) {
  const executors = Object.entries({ ...ourExecutors(list), ...createExecutors(TYPE_DEFS, QUERY, list) });
  const texts = new Set<string>();
  for (const [, run] of executors) texts.add(await run());
  if (texts.size > 1)
    throw new Error(`the responses to "${name}" differ: ${[...texts].map((text) => text.slice(0, 60)).join(' / ')}`);
  const times = executors.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, [, run]] of executors.entries()) times[i]!.push(await measureRound(run));
  for (const [i, [executor]] of executors.entries()) {
    const ratios = times[i]!.map((time, round) => time / times[0]![round]!);
    const own = i === 0 ? `1 (${formatNumber(median(times[0]!))} us)` : `**${formatNumber(median(ratios))}**`;
    const spread = i === 0 ? '' : `${formatNumber(Math.min(...ratios))} - ${formatNumber(Math.max(...ratios))}`;
    process.stdout.write(`| ${i === 0 ? name : ''} | ${executor} | ${own} | ${spread} |\n`);
  }
}
