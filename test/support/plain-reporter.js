/** Prints `N passed, N failed` as the last line of a run, after jest's own summary. */
export default class PlainReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    process.once('exit', () => process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`));
  }
}
