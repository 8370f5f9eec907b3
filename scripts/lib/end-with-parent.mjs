// Loaded into npm and Vite before their own code (node --import): ends them when the script that started them is gone.
// Otherwise a later start would begin a second installation in the same folder.

process.on('disconnect', () => process.exit(1));
// Listening must not keep a finished tool alive.
process.channel?.unref();
