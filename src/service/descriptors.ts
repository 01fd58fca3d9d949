import { readFileSync } from 'node:fs'

const LINE = /^Max open files\s+(\d+)/m

/**
 * How many files and connections the system lets this process have open; undefined where there is no end to
 * them, or nobody says.
 */
export function descriptorsMax(): number | undefined {
  if (process.platform === 'linux') return inLimits(readFileSync('/proc/self/limits', 'utf8'))
  if (process.platform === 'win32' || process.report === undefined) return undefined
  const { userLimits } = process.report.getReport() as ProcessReport
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : undefined
}

/** As Linux writes it. */
export function inLimits(text: string): number | undefined {
  const found = LINE.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

interface ProcessReport {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } }
}
