import type { Brand } from '@foreword/contract';
import { PICTURE_MAX_BYTES } from '@foreword/contract/plain';
import { useRef, useState } from 'react';
import { call } from '../../api.ts';
import { fieldProblem } from '../../failure.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field } from '../../parts/field.tsx';
import { readBase64 } from '../../parts/file-picker.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useAction } from '../../queries.ts';
import { BRAND } from '../../texts/brand.ts';
import { FAILURE } from '../../texts/common.ts';
import { isConflict } from './draft.ts';

const TYPES = 'image/png,image/jpeg,image/svg+xml';

interface LogoFieldProps {
  base: Brand;
  onDone: (brand: Brand) => void;
  /** Loads the latest version, so that the user can choose the logo again. */
  onConflict: () => Promise<unknown>;
}

function useLogo({ base: { version }, onDone, onConflict }: LogoFieldProps) {
  const [problem, setProblem] = useState<string>();
  const fail = async (error: unknown): Promise<void> => {
    setProblem(fieldProblem(error, 'file') ?? (error instanceof Error ? error.message : FAILURE.unknown));
    if (!isConflict(error)) return;
    setProblem(BRAND.logoConflict);
    await onConflict().catch(fail);
  };
  const send = useAction({
    run: (file: string) => call('POST /brand/logo', { body: { version, file } }),
    done: BRAND.logoSaved,
    topics: ['organization'],
    showsFailure: true,
    onDone,
  });
  async function choose(file: File): Promise<void> {
    setProblem(file.size > PICTURE_MAX_BYTES ? BRAND.logoTooLarge : undefined);
    if (file.size > PICTURE_MAX_BYTES) return;
    const unreadable = () => Promise.reject(new Error(BRAND.logoUnreadable));
    await readBase64(file).catch(unreadable).then(send.mutateAsync).catch(fail);
  }
  return { choose, problem, isSending: send.isPending, fail };
}

function RemoveLogo({ base: { version }, onDone, fail }: LogoFieldProps & { fail: (error: unknown) => Promise<void> }) {
  const [isConfirming, setConfirming] = useState(false);
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
      .finally(() => setConfirming(false));
  return (
    <>
      <Button kind="plain" onClick={() => setConfirming(true)}>
        {BRAND.removeLogo}
      </Button>
      <Confirm
        open={isConfirming}
        onOpenChange={setConfirming}
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
          // Lets the user choose the same file again.
          currentTarget.value = '';
          if (file !== undefined) void choose(file);
        }}
      />
    </Field>
  );
}
