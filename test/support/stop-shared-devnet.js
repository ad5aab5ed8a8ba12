export default () => globalThis.stopSharedDevnet?.();
