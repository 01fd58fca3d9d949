/** The outcome of something that is expected to fail now and then. Bugs throw instead. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value })
export const err = <const E>(error: E): Result<never, E> => ({ ok: false, error })
