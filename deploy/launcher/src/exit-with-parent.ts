// Preloaded into processes that must not outlive their parent: they exit when their IPC channel closes.
// A channel that closed before this module was loaded shows as `connected === false`.
if (process.connected === false) process.exit(1);
process.on('disconnect', () => process.exit(1));
