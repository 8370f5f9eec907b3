import { Select } from '../../../ui/field.tsx';
import { Checkbox } from '../../../ui/input.tsx';
import { columnNames, type ItemFile, type ItemTable, previewOf } from './read-items.ts';

interface CsvColumnsProps {
  file: ItemFile;
  table: ItemTable;
  onChange(table: ItemTable): void;
}

/** Asks which column of a CSV has the keys, and shows its first lines masked. */
export function CsvColumns({ file, table, onChange }: CsvColumnsProps) {
  return (
    <fieldset className="grid gap-3 rounded-md border border-line p-4">
      <legend className="px-1 text-sm font-semibold">Columns of {file.name}</legend>
      <Checkbox checked={table.hasHeader} onChange={({ target }) => onChange({ ...table, hasHeader: target.checked })}>
        The first line names the columns
      </Checkbox>
      <Select
        label="Column with the keys"
        options={Object.fromEntries(columnNames(table).entries())}
        value={table.column}
        onChange={({ target }) => onChange({ ...table, column: Number(target.value) })}
      />
      <div className="grid gap-1.5">
        <p className="text-sm text-muted">First lines, masked</p>
        <ol aria-label="First lines" className="grid gap-1 rounded-md bg-sunken px-3.5 py-3 font-mono text-sm">
          {Object.entries(previewOf(file)).map(([place, masked]) => (
            <li key={place} className="break-all">
              {masked === '' ? '(empty)' : masked}
            </li>
          ))}
        </ol>
      </div>
    </fieldset>
  );
}
