const { TestEnvironment } = require('jest-environment-node');

/** Skips the other tests of a file after the first failed one. The option `bail` of jest skips only the files after it. */
module.exports = class extends TestEnvironment {
  async handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length > 0) this.hasFailed = true;
    if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
  }
};
