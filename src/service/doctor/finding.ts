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

const NAME_WIDTH = 26

/** Lines for a terminal: the finding, and under it what to do. */
export const linesOf = ({ name, status, text, mend }: Finding): readonly string[] => [
  `${status.padEnd(5)} ${name.padEnd(NAME_WIDTH)} ${text}`,
  ...(mend === undefined ? [] : [`${' '.repeat(6)}${'→'.padStart(NAME_WIDTH)} ${mend}`]),
]

export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
