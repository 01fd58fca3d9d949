/** One thing that was looked at, and how to mend it when it is not as it should be. */
export interface Finding {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly text: string
  readonly mend?: string
}

export const fine = (name: string, text: string): Finding => ({ name, status: 'ok', text })
export const warn = (name: string, text: string, mend: string): Finding => ({
  name,
  status: 'warn',
  text,
  mend,
})
export const fail = (name: string, text: string, mend: string): Finding => ({
  name,
  status: 'fail',
  text,
  mend,
})

/** The code of an error of the system, else its message. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
