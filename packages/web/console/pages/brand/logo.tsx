import type { Brand } from '@foreword/contract';
import { useRef, useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { ApiFailure, fieldProblem } from '../../failure.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field } from '../../parts/field.tsx';
import { showToast } from '../../parts/toast-store.ts';
import { BRAND } from '../../texts/brand.ts';
import { FAILURE } from '../../texts/common.ts';

const MAX_BYTES = 10_000_000;
const TYPES = 'image/png,image/jpeg,image/svg+xml';

/** The bytes as base64; a data URL holds them after its comma. */
const readFile = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).split(',')[1] ?? ''));
    reader.addEventListener('error', () => reject(new Error(BRAND.logoUnreadable)));
    reader.readAsDataURL(file);
  });

interface LogoFieldProps {
  base: Brand;
  onDone: (brand: Brand) => void;
  onConflict: () => void;
}

/** Sends a picture, and says what is wrong with one. */
function useLogo({ base: { version }, onDone, onConflict }: LogoFieldProps) {
  const [problem, setProblem] = useState<string>();
  const fail = (error: unknown) => {
    if (error instanceof ApiFailure && error.code === 'edit_conflict') onConflict();
    else setProblem(fieldProblem(error, 'file') ?? (error instanceof Error ? error.message : FAILURE.unknown));
  };
  const send = useAction({
    run: (file: string) => call('POST /brand/logo', { body: { version, file } }),
    done: BRAND.logoSaved,
    topics: ['organization'],
    showsFailure: true,
    onDone,
  });
  async function choose(file: File): Promise<void> {
    setProblem(file.size > MAX_BYTES ? BRAND.logoTooLarge : undefined);
    if (file.size > MAX_BYTES) return;
    await readFile(file).then(send.mutateAsync).catch(fail);
  }
  return { choose, problem, isSending: send.isPending, fail };
}

function RemoveLogo({ base: { version }, onDone, fail }: LogoFieldProps & { fail: (error: unknown) => void }) {
  const [asked, setAsked] = useState(false);
  const remove = useAction({
    run: () => call('POST /brand/logo/remove', { body: { version } }),
    done: BRAND.logoRemoved,
    topics: ['organization'],
    showsFailure: true,
    onDone,
  });
  const confirm = () =>
    void remove
      .mutateAsync()
      .catch(fail)
      .finally(() => setAsked(false));
  return (
    <>
      <Button kind="plain" onClick={() => setAsked(true)}>
        {BRAND.removeLogo}
      </Button>
      <Confirm
        open={asked}
        onOpenChange={setAsked}
        title={BRAND.removeLogoTitle}
        action={BRAND.removeLogoAction}
        danger
        busy={remove.isPending}
        onConfirm={confirm}
      >
        {BRAND.removeLogoBody}
      </Confirm>
    </>
  );
}

export function LogoField(props: LogoFieldProps) {
  const { logo_url } = props.base;
  const { choose, problem, isSending, fail } = useLogo(props);
  const input = useRef<HTMLInputElement>(null);
  return (
    <Field label={BRAND.logo} hint={BRAND.logoHint} error={problem} group optional>
      <div className="brand-logo">
        {logo_url === null ? (
          <p className="brand-no-logo">{BRAND.noLogo}</p>
        ) : (
          <img src={logo_url} alt={BRAND.logoAlt} onError={() => showToast({ kind: 'bad', text: FAILURE.title })} />
        )}
        <div className="form-actions">
          <Button kind="quiet" icon="upload" busy={isSending} onClick={() => input.current?.click()}>
            {logo_url === null ? BRAND.chooseLogo : BRAND.replaceLogo}
          </Button>
          {logo_url !== null && <RemoveLogo {...props} fail={fail} />}
        </div>
      </div>
      <input
        ref={input}
        type="file"
        accept={TYPES}
        hidden
        aria-label={BRAND.chooseLogo}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          // So that the same file can be chosen again.
          currentTarget.value = '';
          if (file !== undefined) void choose(file);
        }}
      />
    </Field>
  );
}
