// For a process that must not outlive the one that started it: at the end of their IPC channel it ends too. Loaded
// before all else, and what came earlier still is seen by `connected` (undefined without a channel).
if (process.connected === false) process.exit(1);
process.on('disconnect', () => process.exit(1));
