const { default: functions } = require('@changesets/cli/changelog');

/** The lines of the changelog without hashes of commits, which say nothing to users. */
module.exports = {
  getReleaseLine: (changeset, type) => functions.getReleaseLine({ ...changeset, commit: undefined }, type),
  getDependencyReleaseLine: async () => '',
};
