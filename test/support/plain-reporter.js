/** Prints `N passed, N failed` as the last line of a run, after jest's own summary, and the seed of a run that fails. */
export default class PlainReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    process.once('exit', () =>
      process.stdout.write(`${failed ? `SEED=${process.env.SEED}\n` : ''}${numPassedTests} passed, ${failed} failed\n`),
    );
  }
}
