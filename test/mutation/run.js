/**
 * Changes each operator, condition, block and literal of a part, one at a time, and reports the changes that no test detects:
 *
 *     npm run mutation               # all parts
 *     npm run mutation -- signatures # one part
 *
 * The report of a part is coverage/mutation/<part>.html. Fails if the tests of a part detect less than 85 %.
 */
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import jestConfig from '../../jest.config.js';

/** Below src: the files of each part. Below test: the tests that check them. A folder ends in a slash. */
const PARTS = {
  // The signatures of deliveries are a function of `domains/webhooks/delivery`, in the part `webhook-delivery`.
  signatures: {
    sources: ['domains/webhooks/receiver/auth-tokens', 'server/callers/json-web-tokens', 'server/callers/api-keys'],
    tests: ['unit/domains/webhooks/receiver/auth-tokens', 'unit/domains/webhooks/delivery/signature', 'unit/server/callers/'],
  },
  costs: {
    sources: ['graphql/cost/', 'lib/operation-budget', 'server/callers/rate-limits'],
    tests: [
      'unit/graphql/cost/',
      'unit/graphql/federation/cost-estimates',
      'unit/lib/operation-budget',
      'unit/lib/caller-turns',
      'unit/server/callers/rate-limits',
      'api/chain/cost',
    ],
  },
  verification: {
    sources: ['ethereum/header-checks', 'ethereum/root-checks', 'domains/chain/verification', 'upstream/rpc/header-check-policy'],
    tests: [
      'unit/ethereum/',
      'unit/sync/chain/rpc-header',
      'unit/sync/head/invalid-heads',
      'unit/upstream/rpc/header-check-policy',
      'unit/upstream/rpc/failover',
      'api/chain/verification',
      'proofs/queries/header-checks',
    ],
  },
  'fork-choice': { sources: ['sync/chain/'], tests: ['unit/sync/'] },
  follower: {
    sources: ['sync/head/', 'sync/source-health'],
    tests: [
      'unit/sync/',
      'unit/workers/chain-publisher',
      'proofs/subscriptions/follower',
      'process/subscriptions/source-failures',
    ],
  },
  feed: { sources: ['sync/feed', 'sync/logs/', 'sync/pending/'], tests: ['unit/sync/'] },
  groups: {
    sources: ['graphql/subscriptions/'],
    tests: ['unit/graphql/subscriptions/', 'unit/server/subscription-costs', 'unit/server/shared-subscriptions'],
  },
  streams: {
    sources: ['domains/chain/subscriptions/'],
    tests: [
      'unit/domains/chain/subscriptions/',
      'unit/examples/follow',
      'api/chain/submit-transaction',
      'api/chain/transaction-outcome',
      'proofs/queries/removed-logs',
      'proofs/queries/unreadable-events',
    ],
  },
  // Their tests start PostgreSQL.
  'webhook-store': {
    sources: ['domains/webhooks/store/'],
    tests: [
      'unit/domains/webhooks/',
      'proofs/webhooks/event-store',
      'proofs/webhooks/event-feed',
      'proofs/webhooks/received-activity',
    ],
    testTimeout: 20_000,
  },
  'webhook-delivery': { sources: ['domains/webhooks/delivery/'], tests: ['unit/domains/webhooks/'], testTimeout: 20_000 },
};

// Stryker finds the tests of a mutant by their titles, and titles of random tests contain the seed.
process.env.SEED ??= '1';

const globs = (paths, root, suffix) => paths.map((path) => `${root}/${path}${path.endsWith('/') ? '**/*' : ''}${suffix}`);

const { extensionsToTreatAsEsm, moduleNameMapper, transform } = jestConfig.projects[0];
const selected = process.argv.slice(2);
for (const name of selected.length > 0 ? selected : Object.keys(PARTS)) {
  const { sources, tests, testTimeout = 3_000 } = PARTS[name];
  await new Stryker({
    mutate: globs(sources, 'src', '.ts'),
    // Messages of errors and of logs are most of the texts; tests check the ones that are a contract.
    mutator: { excludedMutations: ['StringLiteral'] },
    thresholds: { high: 85, low: 85, break: 85 },
    testRunner: 'jest-by-file',
    plugins: [fileURLToPath(new URL('runner.js', import.meta.url))],
    // One sandbox and one process of tests, whose memory jest does not free.
    concurrency: 1,
    maxTestRunnerReuse: 60,
    testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings', '--max-semi-space-size=64'],
    coverageAnalysis: 'perTest',
    jest: {
      projectType: 'custom',
      enableFindRelatedTests: false,
      config: {
        projects: [],
        extensionsToTreatAsEsm,
        moduleNameMapper,
        transform,
        testEnvironment: fileURLToPath(new URL('environment.cjs', import.meta.url)),
        // A test that a mutant lets wait fails before the process of its tests is restarted.
        testTimeout,
        testMatch: globs(tests, '<rootDir>/test', '.test.ts'),
        roots: ['<rootDir>/src', '<rootDir>/test'],
      },
    },
    ignorePatterns: ['coverage', 'dist', 'release'],
    tempDirName: 'coverage/mutation/sandbox',
    cleanTempDir: 'always',
    disableTypeChecks: false,
    tsconfigFile: 'none',
    reporters: ['clear-text', 'html', 'json', 'progress-append-only', 'survivors'],
    clearTextReporter: { allowColor: false, reportTests: false },
    htmlReporter: { fileName: `coverage/mutation/${name}.html` },
    jsonReporter: { fileName: `coverage/mutation/${name}.json` },
    // A second run repeats only the mutants whose code or tests have changed, and none that is executed while its module loads: its score
    // is a lower bound. Remove `coverage` for a whole run.
    incremental: true,
    incrementalFile: `coverage/mutation/${name}.incremental.json`,
  }).runMutationTest();
}
