import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { commonTokens, declareClassPlugin, declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import { strykerPlugins as jestPlugins, strykerValidationSchema } from '@stryker-mutator/jest-runner';

/** In the sandbox: Stryker restarts the process of a runner, and only the first one makes the dry run. */
const FILES_OF_TESTS = '.files-of-tests.json';

/** Returns a predicate of the test files that execute a mutant or, if it is executed while its module loads, any mutant of its module. */
function coveringTestFiles({ testFilter, sandboxFileName }, files, coverage) {
  const ids = [...readFileSync(sandboxFileName, 'utf8').matchAll(/stryMutAct_\w+\("(\d+)"\)/g)].map(([, id]) => id);
  const tests = testFilter ?? Object.keys(coverage).filter((test) => ids.some((id) => coverage[test][id]));
  const covering = new Set(tests.flatMap((test) => files[test]));
  return (file) => covering.has(file);
}

/**
 * Creates the runner of Stryker for jest, but loads only the test files whose tests execute the mutant, one after another until a test fails.
 * The original loads all test files for each mutant: filters of jest select tests by name only, and its `bail` ends the process.
 */
function createRunner(injector) {
  const jest = jestPlugins[0].factory(injector);
  // As the server sets it (jest.config.js); Stryker sets another value.
  jest.setEnv = () => {
    process.env.NODE_ENV = 'production';
  };
  const run = jest.run.bind(jest);
  let testFiles;
  jest.run = (settings) => run({ ...settings, testFiles });

  return {
    init: () => jest.init(),
    capabilities: () => jest.capabilities(),
    async dryRun(options) {
      testFiles = undefined;
      const result = await jest.dryRun(options);
      const files = {};
      const times = {};
      for (const { id, fileName, timeSpentMs } of result.tests ?? []) {
        files[id] = [...new Set([...(files[id] ?? []), fileName])];
        times[fileName] = (times[fileName] ?? 0) + timeSpentMs;
      }
      const fastestFirst = Object.keys(times).sort((a, b) => times[a] - times[b]);
      writeFileSync(FILES_OF_TESTS, JSON.stringify({ files, fastestFirst, coverage: result.mutantCoverage?.perTest }));
      return result;
    },
    async mutantRun(options) {
      const { files, fastestFirst, coverage } = JSON.parse(readFileSync(FILES_OF_TESTS, 'utf8'));
      const isCovering = coveringTestFiles(options, files, coverage);
      // A mutant without a filter is executed while its module loads: any test can detect it, most likely one that calls the module.
      const ordered = fastestFirst.filter(isCovering);
      if (!options.testFilter) ordered.push(...fastestFirst.filter((name) => !isCovering(name)));
      let result;
      let nrOfTests = 0;
      for (const file of ordered) {
        testFiles = [file];
        result = await jest.mutantRun(options);
        nrOfTests += result.nrOfTests ?? 0;
        if (result.status !== 'survived') break;
      }
      return result.nrOfTests === undefined ? result : { ...result, nrOfTests };
    },
  };
}
createRunner.inject = tokens(commonTokens.injector);

/** Prints each undetected mutant at once: the other reporters need a complete run, which takes up to an hour. */
class SurvivorReporter {
  onMutantTested({ status, fileName, location, replacement }) {
    if (status !== 'Survived' && status !== 'NoCoverage') return;
    const { line, column } = location.start;
    process.stdout.write(
      `${status} ${relative(process.cwd(), fileName)}:${line}:${column} ${replacement.replaceAll(/\s+/g, ' ')}\n`,
    );
  }
}

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'jest-by-file', createRunner),
  declareClassPlugin(PluginKind.Reporter, 'survivors', SurvivorReporter),
];
export { strykerValidationSchema };
