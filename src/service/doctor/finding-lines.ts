import type { Finding } from '../../domain/finding.ts'

const NAME_WIDTH = 26

/** Lines for a terminal: the finding, and under it what to do. */
export const linesOf = ({ name, status, text, mend }: Finding): readonly string[] => [
  `${status.padEnd(5)} ${name.padEnd(NAME_WIDTH)} ${text}`,
  ...(mend === undefined ? [] : [`${' '.repeat(6)}${'→'.padStart(NAME_WIDTH)} ${mend}`]),
]
