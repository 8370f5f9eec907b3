// Loaded into npm and Vite before their own code (node --import): ends them when the script that started them is gone. An
// installation that went on unseen would meet the next one in the same folder.

process.on('disconnect', () => process.exit(1));
// Listening must not keep a finished tool alive.
process.channel?.unref();
