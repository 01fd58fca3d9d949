/** What a folder holds; undefined: it cannot be read, or does not answer in time. */
export interface FolderTree {
  readonly list: (folder: string) => Promise<readonly TreeEntry[] | undefined>
  readonly nowMs: () => number
}

export interface TreeEntry {
  readonly name: string
  readonly isFolder: boolean
}

/** A folder from which the search begins. */
export interface Start {
  readonly folder: string
  /** Anything lies there, so that only folders with the name of a terminal are entered from it. */
  readonly isCrowded: boolean
}

/** The data folder of a terminal. */
export interface Terminal {
  readonly folder: string
  /** Of the minimal mode (`userdata_mini`); else of the whole terminal (`userdata`). */
  readonly isMini: boolean
  /** What looks like the numbers of accounts that were logged in there; a guess that a person has to confirm. */
  readonly accountIds: readonly string[]
}

export interface Terminals {
  readonly found: readonly Terminal[]
  /** A limit was met: there may be more. */
  readonly isCut: boolean
}

/** Bounds of the search, so that a slow or huge disk keeps nobody waiting. */
export const SEARCH = { depthMax: 4, foldersMax: 4_000, entriesMax: 40_000, msMax: 8_000 } as const

/** How terminals are called by their brokers. */
const TERMINAL = /qmt|迅投|交易端|交易终端|xuntou|thinktrader/i
const DATA = /^userdata(_mini)?$/i
/** Folders below a terminal that are large and hold no data folder. */
const BARREN = /^(bin\.x64|datadir|log|node_modules|windows|\$recycle\.bin)$/i
const ACCOUNT = /^\d{6,16}$/
const USERS = /^users?$/i

/**
 * Data folders of installed terminals, those of the minimal mode first. Reads names only, breadth first, and
 * ends at the limits.
 */
export async function findTerminals(
  tree: FolderTree,
  starts: readonly Start[],
  limits: { readonly [name in keyof typeof SEARCH]: number } = SEARCH,
): Promise<Terminals> {
  const endMs = tree.nowMs() + limits.msMax
  const queue: Visit[] = starts.map(({ folder, isCrowded }) => ({ folder, isCrowded, depth: 0 }))
  const seen = new Set<string>()
  const found: Terminal[] = []
  let entries = 0
  for (let visit = queue.shift(); visit !== undefined; visit = queue.shift()) {
    const key = visit.folder.toLowerCase()
    if (seen.has(key)) continue
    const isOver = seen.size >= limits.foldersMax || entries >= limits.entriesMax
    if (isOver || tree.nowMs() >= endMs) return { found: sorted(found), isCut: true }
    seen.add(key)
    const listed = (await tree.list(visit.folder)) ?? []
    entries += listed.length
    const { data, deeper } = sift(visit, listed)
    for (const folder of data) found.push(await terminalAt(tree, folder))
    if (visit.depth < limits.depthMax) queue.push(...deeper)
  }
  return { found: sorted(unique(found)), isCut: false }
}

interface Visit extends Start {
  readonly depth: number
}

function sift(
  { folder, isCrowded, depth }: Visit,
  listed: readonly TreeEntry[],
): { readonly data: readonly string[]; readonly deeper: readonly Visit[] } {
  const names = listed.filter(({ isFolder }) => isFolder).map(({ name }) => name)
  const isEntered = (name: string) =>
    !DATA.test(name) && !BARREN.test(name) && (!isCrowded || TERMINAL.test(name))
  const own = DATA.test(lastOf(folder)) ? [folder] : []
  return {
    data: [...own, ...names.filter((name) => DATA.test(name)).map((name) => below(folder, name))],
    deeper: names
      .filter(isEntered)
      .map((name) => ({ folder: below(folder, name), isCrowded: false, depth: depth + 1 })),
  }
}

async function terminalAt(tree: FolderTree, folder: string): Promise<Terminal> {
  const inside = (await tree.list(folder)) ?? []
  const users = inside.find(({ name, isFolder }) => isFolder && USERS.test(name))
  const within = users === undefined ? [] : ((await tree.list(below(folder, users.name))) ?? [])
  const numbers = within.filter(({ name, isFolder }) => isFolder && ACCOUNT.test(name))
  return {
    folder,
    isMini: /_mini$/i.test(lastOf(folder)),
    accountIds: numbers.map(({ name }) => name),
  }
}

const sorted = (found: readonly Terminal[]): readonly Terminal[] =>
  found.toSorted((a, b) => Number(b.isMini) - Number(a.isMini) || (a.folder < b.folder ? -1 : 1))

const unique = (found: readonly Terminal[]): readonly Terminal[] => [
  ...new Map(found.map((terminal) => [terminal.folder.toLowerCase(), terminal])).values(),
]

/** A path of either kind of system, whichever of them this one is. */
const separatorOf = (folder: string): string => (/^[A-Za-z]:|\\/.test(folder) ? '\\' : '/')
export const below = (folder: string, name: string): string =>
  /[\\/]$/.test(folder) ? folder + name : folder + separatorOf(folder) + name
const lastOf = (folder: string): string =>
  folder.split(/[\\/]/).findLast((part) => part !== '') ?? ''
