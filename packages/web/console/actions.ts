import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiFailure } from './failure.ts';
import { showToast } from './parts/toast-store.ts';
import { refresh, type Topic } from './queries.ts';
import { FAILURE } from './texts/common.ts';

interface ActionOptions<Input, Output> {
  readonly run: (input: Input) => Promise<Output>;
  /** Topics to refetch on success. */
  readonly topics?: readonly (Topic | string)[];
  /** The toast shown on success. */
  readonly done?: string | ((output: Output, input: Input) => string);
  readonly onDone?: (output: Output, input: Input) => void;
  /** The page shows failures itself, as forms do next to their fields. Otherwise a toast shows them. */
  readonly showsFailure?: boolean;
}

/** A mutation with a toast for its result; refetches what it changed. */
export function useAction<Input = void, Output = unknown>(options: ActionOptions<Input, Output>) {
  const queries = useQueryClient();
  return useMutation<Output, Error, Input>({
    mutationFn: options.run,
    async onSuccess(output, input) {
      if (options.done !== undefined) {
        showToast({ text: typeof options.done === 'string' ? options.done : options.done(output, input) });
      }
      options.onDone?.(output, input);
      await Promise.all((options.topics ?? []).map((topic) => refresh(queries, topic)));
    },
    onError(error) {
      if (options.showsFailure === true) return;
      showToast({ kind: 'bad', text: error instanceof ApiFailure ? error.message : FAILURE.unknown });
    },
  });
}
