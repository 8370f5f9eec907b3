import { type ComponentType, lazy } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { HomeScreen } from './features/catalog/home-screen.tsx';
import { Shell } from './features/shell/shell.tsx';

const screen = <Name extends string>(name: Name, load: () => Promise<Record<Name, ComponentType>>) =>
  lazy(async () => ({ default: (await load())[name] }));

// Home is in the first bundle: most visits start there.
const ProductScreen = screen('ProductScreen', () => import('./features/catalog/product-screen.tsx'));

export function AppRoutes() {
  return (
    <Routes>
      <Route element={<Shell />}>
        <Route path="/" element={<HomeScreen />} />
        <Route path="/digital-product/:id" element={<ProductScreen />} />
        <Route path="*" element={<Navigate to="/" replace />} />
      </Route>
    </Routes>
  );
}
