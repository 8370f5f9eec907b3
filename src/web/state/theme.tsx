import { useEffect } from 'react';
import { storage } from '../lib/storage.ts';
import { useStored } from '../lib/use-stored.ts';

/** Light unless chosen otherwise. public/theme.js has already marked the page by the time this runs. */
export function useTheme() {
  const theme = useStored(storage.theme);
  useEffect(() => {
    document.documentElement.classList.toggle('dark', theme === 'dark');
  }, [theme]);
  return { theme, toggle: () => storage.theme.write(theme === 'dark' ? 'light' : 'dark') };
}
