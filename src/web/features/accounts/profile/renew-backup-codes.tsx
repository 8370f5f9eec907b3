import { useState } from 'react';
import { call } from '../../../lib/api-client.ts';
import { useKeepCodes } from '../../../lib/use-keep-codes.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeList } from '../../../ui/code-list.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ConfirmPassword } from './confirm-password.tsx';

export function RenewBackupCodes({ onRenewed }: { onRenewed(): void }) {
  const [isOpen, setIsOpen] = useState(false);
  const [codes, setCodes] = useState<string[]>();

  function close() {
    setIsOpen(false);
    setCodes(undefined);
  }

  async function renew(password: string) {
    const { data } = await call('POST /auth/2fa/backup-codes', { body: { password } });
    setCodes(data.backupCodes);
    onRenewed();
  }

  return (
    <>
      <Button variant="secondary" onClick={() => setIsOpen(true)}>
        Regenerate backup codes
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={codes ? 'Your new backup codes' : 'Regenerate backup codes?'}
      >
        {codes ? (
          <NewCodes codes={codes} onDone={close} />
        ) : (
          <>
            <p>You get ten new codes. The ones you have now stop working.</p>
            {isOpen && (
              <ConfirmPassword
                action="Regenerate"
                fallback="Failed to regenerate backup codes"
                onConfirm={renew}
                onCancel={close}
              />
            )}
          </>
        )}
      </Dialog>
    </>
  );
}

function NewCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  return (
    <>
      <p>Each opens your account once when your phone is not at hand. They are shown only now.</p>
      <CodeList label="Backup codes" codes={codes} {...useKeepCodes(codes)} />
      <Button onClick={onDone} className="justify-self-end">
        Done
      </Button>
    </>
  );
}
