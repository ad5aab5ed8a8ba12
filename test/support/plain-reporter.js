/** Closes a run with one plain line, which a person and a script can read alike; at the very end, behind jest's own summary. */
export default class PlainReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    process.once('exit', () => process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`));
  }
}
