import { type Finding, isTest, lineAt, listFiles, readSource } from './source-files.ts';

const declaration = /^export (?:async )?(?:function\*?|const|let|type|interface|enum) +(\w+)/gm;

/**
 * Finds names that two files of `src` or of one package export: a reader who looks for one would find the other. Within
 * one file, a schema and the type derived from it may share a name.
 */
export function checkNames(root: string): Finding[] {
  const firstFile = new Map<string, string>();
  return listFiles(root, ['packages', 'src'], /\.tsx?$/)
    .filter((path) => !isTest(path))
    .flatMap((path) => {
      const source = readSource(root, path);
      return [...source.matchAll(declaration)].flatMap(({ 1: name = '', index }) => {
        const key = `${packageOf(path)} ${name}`;
        const known = firstFile.get(key) ?? path;
        firstFile.set(key, known);
        const message = `"${name}" is exported by ${known}, too: one name for one thing`;
        return known === path ? [] : [{ path, line: lineAt(source, index), message }];
      });
    });
}

const packageOf = (path: string): string => /^packages\/[^/]+/.exec(path)?.[0] ?? 'src';
