// Runs before anything is painted, so that a dark page never flashes light. The key belongs to lib/storage.ts.
try {
  if (localStorage.getItem('theme') === 'dark') document.documentElement.classList.add('dark');
} catch (refused) {
  console.debug('The browser keeps no theme', refused);
}
