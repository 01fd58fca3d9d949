import { readFileSync } from 'node:fs'
import type { ClusterConfig } from '../../config/cluster.ts'

const LINE = /^Max open files\s+(\d+)/m
/** As measured, and some: without any account, with a few connections; and for each account, with its client. */
const OF_PROCESS = 128
const OF_ACCOUNT = 16
/** For one that another node runs: what direct mode listens at, also through a proxy. */
const OF_FOREIGN = 2

/** How many accounts a process may come to run, and how many other nodes alone run, which have a front here. */
export interface Served {
  readonly own: number
  readonly foreign: number
}

export function servedBy(
  accounts: readonly { readonly eligible: readonly string[] }[],
  cluster: Pick<ClusterConfig, 'node'> | undefined,
): Served {
  const own = accounts.filter(
    ({ eligible }) => cluster === undefined || eligible.includes(cluster.node),
  ).length
  return { own, foreign: accounts.length - own }
}

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

/** What a process with such accounts has open, beside the connections of its callers. */
export const descriptorsWanted = ({ own, foreign }: Served): number =>
  OF_PROCESS + OF_ACCOUNT * own + OF_FOREIGN * foreign

/**
 * The same for accounts that change while the process runs: those that it was started with, or those that it has by now,
 * where that is more.
 */
export function descriptorsWantedBy(
  first: Served,
  now: { readonly known: Parameters<typeof servedBy>[0] },
  cluster: Parameters<typeof servedBy>[1],
): () => number {
  const atFirst = descriptorsWanted(first)
  let counted = 0
  let wanted = atFirst
  return () => {
    const { known } = now
    // It is asked for each connection, and there may be thousands of accounts: they are looked through when they change.
    if (known.length !== counted) {
      counted = known.length
      wanted = Math.max(atFirst, descriptorsWanted(servedBy(known, cluster)))
    }
    return wanted
  }
}

/** What is said of a limit that these accounts do not fit into; undefined: they do. `max` as {@link descriptorsMax}. */
export function tooFewDescriptors(
  served: Served,
  max = descriptorsMax() ?? Number.POSITIVE_INFINITY,
): string | undefined {
  const wanted = descriptorsWanted(served)
  if (max >= wanted) return undefined
  const accounts = served.own + served.foreign
  return `系统只让本进程打开 ${max} 个文件和连接，${accounts} 个账户约需 ${wanted} 个 (the system lets this process open ${max} files and connections; with so many accounts (${accounts}) it needs about ${wanted})`
}

export const DESCRIPTORS_MEND =
  '请调高限制：ulimit -n，或服务单元的 LimitNOFILE；不够时账户打不开 (raise the limit, ulimit -n or LimitNOFILE of the unit: accounts cannot be opened where it is too low)'

/** For the log of a start. */
export function descriptorWarnings(served: Served): readonly string[] {
  const text = tooFewDescriptors(served)
  return text === undefined ? [] : [`${text}；${DESCRIPTORS_MEND}`]
}

interface ProcessReport {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } }
}
