import { PackageOpen } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Card, EmptyState, Skeleton } from '../../ui/card.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Specimen } from './specimen.tsx';

export function Containers() {
  return (
    <>
      <Specimen name="Card">
        <Card className="w-full max-w-form p-5">A surface for what belongs together.</Card>
      </Specimen>
      <Specimen name="Picture: loaded, none, broken">
        <Picture
          src="/demo/covers/neon-apex-rally.svg"
          alt="A cover"
          className="aspect-4/3 w-48 rounded-md"
        />
        <Picture src="" alt="No picture" className="aspect-4/3 w-48 rounded-md" />
        <Picture eager src="/not-there.svg" alt="A broken picture" className="aspect-4/3 w-48 rounded-md" />
      </Specimen>
      <Specimen name="Skeleton">
        <div className="grid w-full max-w-form gap-2.5">
          <Skeleton className="h-32" />
          <Skeleton className="h-5 w-2/3" />
          <Skeleton className="h-5 w-1/3" />
        </div>
      </Specimen>
      <Specimen name="EmptyState">
        <Card className="w-full">
          <EmptyState
            icon={PackageOpen}
            heading="h4"
            title="No Orders Yet"
            action={<Button>Start Shopping</Button>}
          >
            What you buy is found here, ready to open.
          </EmptyState>
        </Card>
      </Specimen>
    </>
  );
}
