import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'react-router';

const TYPING_PAUSE_MS = 300;

const isSame = <Fields extends Record<string, string>>(one: Fields, other: Fields) =>
  Object.keys(one).every((name) => one[name] === other[name]);

/**
 * What is typed to narrow a list: `typed` at every key, handed to `write` for the address when the typing pauses.
 * `inAddress` is what stands there now. `overwrite` is for who writes the address at once.
 */
export function useTyped<Fields extends Record<string, string>>(
  inAddress: Fields,
  write: (typed: Fields) => void,
) {
  const { pathname } = useLocation();
  const [typed, setTyped] = useState(inAddress);
  const written = useRef(inAddress);
  const key = JSON.stringify(inAddress);
  const address = useMemo(() => JSON.parse(key) as Fields, [key]);

  function overwrite(fields: Fields) {
    written.current = fields;
    setTyped(fields);
  }

  // A link or the back button changes the address without typing.
  useEffect(() => {
    if (isSame(written.current, address)) return;
    written.current = address;
    setTyped(address);
  }, [address]);

  useEffect(() => {
    if (isSame(typed, written.current)) return;
    const timer = setTimeout(() => {
      // Whoever has just pressed an entry is on the way to its page, and must not be called back.
      if (window.location.pathname !== pathname) return;
      written.current = typed;
      write(typed);
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  });

  return {
    typed,
    type: (change: Partial<Fields>) => setTyped((before) => ({ ...before, ...change })),
    overwrite,
  };
}
