import type { InitAsked } from '../../config/commands/init.ts'
import { DRIVER_NAMES, type DriverName, isReal } from '../../config/drivers.ts'
import type { NewConfig } from '../../config/new-file.ts'
import { ACCOUNT_TYPES, type AccountType } from '../../domain/account-type.ts'
import { folderOf, mayBeAccount } from '../../domain/ids.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { below, type Terminal } from './terminals.ts'

/** A person at a terminal. */
export interface Person {
  /** Undefined: the person has gone (end of input, Ctrl-C). */
  readonly ask: (question: string) => Promise<string | undefined>
  readonly say: (line: string) => void
}

export interface Interview {
  /** What the command line says already. */
  readonly asked: InitAsked
  /** Undefined: nobody can be asked, the command line has to say it all. */
  readonly person: Person | undefined
  /** Data folders of terminals on this computer; searched for only when they matter. */
  readonly terminals: () => Promise<readonly Terminal[]>
  readonly isFolder: (path: string) => boolean
}

/** Settings, and whether a token for other computers is to be made. */
export interface Interviewed {
  readonly config: Omit<NewConfig, 'tokenHash'>
  readonly hasToken: boolean
}

export interface NoConfig {
  /** The command line is wrong or lacks something; else the person has gone. */
  readonly isWrong: boolean
  readonly text: string
}

/** After so many wrong answers to one question nobody answers on purpose. */
const TRIES_MAX = 20
const ACCOUNTS_MAX = 64
const DATA_DIR = './data'
const PAPER_ACCOUNT = '10000001'

class Stop extends Error {
  readonly why: NoConfig
  constructor(isWrong: boolean, text: string) {
    super(text)
    this.why = { isWrong, text }
  }
}

/** What a new configuration is to say: from the command line, else asked for, each question until its answer is one. */
export async function interview(context: Interview): Promise<Result<Interviewed, NoConfig>> {
  try {
    return ok(await questions(context))
  } catch (error) {
    if (error instanceof Stop) return err(error.why)
    throw error
  }
}

async function questions(context: Interview): Promise<Interviewed> {
  const { asked } = context
  const driver = await answered(context, driverQuestion(asked))
  const accounts = await accountsOf(driver, context)
  const python = driver === 'xt' ? await answered(context, pythonQuestion(asked)) : ''
  const dataDir = await answered(context, {
    flag: '--data-dir',
    given: asked.dataDir,
    question: `数据目录 (folder of all data) [${DATA_DIR}]: `,
    fallback: DATA_DIR,
    parse: plainText('数据目录 (the data folder)'),
  })
  const hasToken = await answered(context, {
    flag: '--token',
    given: asked.token,
    question: '允许其他电脑访问？会生成令牌 (let other computers in? makes a token) [y/N]: ',
    fallback: 'n',
    parse: yesOrNo,
  })
  return { config: { driver, accounts, python, dataDir }, hasToken }
}

async function accountsOf(driver: DriverName, context: Interview): Promise<NewConfig['accounts']> {
  const { asked } = context
  if (driver === 'xt') return realAccounts(context)
  const fallback = isReal({ driver }) ? undefined : PAPER_ACCOUNT
  const ids = await answered(context, idsQuestion(asked.accounts, fallback))
  const type = isReal({ driver }) ? await answered(context, typeQuestion(asked)) : 'STOCK'
  return ids.map((accountId) => ({ accountId, type, clientPath: '' }))
}

/** One thing to be known. */
interface Question<T> {
  readonly flag: string
  readonly given: string | undefined
  readonly question: string
  /** Taken for an empty answer, and where nobody can be asked. */
  readonly fallback?: string
  /** The error is one line that says how to mend it. */
  readonly parse: (text: string) => Result<T, string>
}

async function answered<T>({ person }: Interview, question: Question<T>): Promise<T> {
  const { flag, given, fallback, parse } = question
  if (given !== undefined) return mustParse(flag, parse(given))
  if (person === undefined) {
    if (fallback === undefined) {
      throw new Stop(
        true,
        `缺少 ${flag}，此处无法提问 (${flag} is missing, and nobody can be asked)`,
      )
    }
    return mustParse(flag, parse(fallback))
  }
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const text = (await person.ask(question.question))?.trim()
    if (text === undefined) throw new Stop(false, CANCELED)
    const parsed = parse(text === '' ? (fallback ?? '') : text)
    if (parsed.ok) return parsed.value
    person.say(`  ${parsed.error}`)
  }
  throw new Stop(false, CANCELED)
}
const CANCELED = '已取消，没有写入任何文件 (canceled, nothing was written)'

function mustParse<T>(flag: string, parsed: Result<T, string>): T {
  if (!parsed.ok) throw new Stop(true, `${flag}：${parsed.error}`)
  return parsed.value
}

const driverQuestion = ({ driver, clientPath }: InitAsked): Question<DriverName> => ({
  flag: '--driver',
  given: driver ?? (clientPath === undefined ? undefined : 'xt'),
  question:
    '使用哪种账户？xt = QMT 极简模式，bigqmt = QMT 完整版内的脚本，paper = 内置模拟 (QMT in minimal mode, a script in the full terminal, or the embedded one) [xt]: ',
  fallback: 'xt',
  parse: (text) => {
    const name = DRIVER_NAMES.find((each) => each === text.toLowerCase())
    return name === undefined ? err(`请输入 ${DRIVER_NAMES.join(' 或 ')} (one of these)`) : ok(name)
  },
})

const idsQuestion = (given: string | undefined, fallback?: string): Question<string[]> => ({
  flag: '--account',
  given,
  question: `资金账号，多个用逗号分开 (account numbers, separated by commas)${fallback === undefined ? '' : ` [${fallback}]`}: `,
  ...(fallback !== undefined && { fallback }),
  parse: accountIds,
})

function accountIds(text: string): Result<string[], string> {
  const ids = text
    .split(/[,，\s]+/)
    .map((id) => id.trim())
    .filter((id) => id !== '')
  if (ids.length === 0) return err('请输入资金账号 (type the number of the account)')
  if (ids.length > ACCOUNTS_MAX)
    return err(`最多 ${ACCOUNTS_MAX} 个账户 (so many accounts at most)`)
  const bad = ids.find((id) => !mayBeAccount(id))
  if (bad !== undefined) {
    return err(`"${bad}" 不是账号：只能用字母、数字、_ 和 - (letters, digits, _ and - only)`)
  }
  const folders = new Set(ids.map((id) => folderOf(id)))
  return folders.size < ids.length ? err('账号重复 (an account is named twice)') : ok(ids)
}

async function realAccounts(context: Interview): Promise<NewConfig['accounts']> {
  const { asked, person } = context
  const terminals = asked.clientPath === undefined ? await context.terminals() : []
  const accounts: NewConfig['accounts'][number][] = []
  for (;;) {
    const clientPath = await answered(context, pathQuestion(context, terminals))
    const guess = terminals.find(({ folder }) => folder === clientPath)?.accountIds ?? []
    const ids = await answered(context, idsQuestion(asked.accounts, person && guess.join(',')))
    const type = await answered(context, typeQuestion(asked))
    accounts.push(...ids.map((accountId) => ({ accountId, type, clientPath })))
    if (person === undefined || asked.accounts !== undefined) return accounts
    const isMore = await answered(context, {
      flag: '--account',
      given: undefined,
      question: '还有其他终端的账户吗 (another terminal with accounts)? [y/N]: ',
      fallback: 'n',
      parse: yesOrNo,
    })
    if (!isMore) return accounts
  }
}

function pathQuestion(
  { asked, isFolder }: Interview,
  terminals: readonly Terminal[],
): Question<string> {
  const rows = terminals.map(({ folder }, index) => `  ${index + 1}  ${folder}\n`)
  const found =
    rows.length === 0
      ? ''
      : `找到的终端数据目录 (data folders of terminals found here):\n${rows.join('')}`
  const how = rows.length === 0 ? '' : '输入序号或完整路径 (a number or a whole path) [1]: '
  return {
    flag: '--qmt',
    given: asked.clientPath,
    question: `${found}${how === '' ? '交易终端的 userdata_mini 目录 (folder userdata_mini of the terminal): ' : how}`,
    // Nobody sees which of several it was: where nobody is asked it has to be the only one.
    ...(terminals.length === 1 && { fallback: '1' }),
    parse: (text) => clientFolder(text, { terminals, isFolder }),
  }
}

function clientFolder(
  text: string,
  {
    terminals,
    isFolder,
  }: Pick<Interview, 'isFolder'> & { readonly terminals: readonly Terminal[] },
): Result<string, string> {
  const chosen = /^\d{1,3}$/.test(text) ? terminals[Number(text) - 1]?.folder : undefined
  if (chosen !== undefined) return ok(chosen)
  const typed = text.replace(/^"(.*)"$/, '$1').trim()
  if (typed === '') return err('请输入目录 (type the folder)')
  // The folder of the terminal itself is meant often enough.
  for (const name of ['userdata_mini', 'userdata']) {
    if (isFolder(below(typed, name))) return ok(below(typed, name))
  }
  if (!isFolder(typed)) return err(`没有这个目录 (there is no such folder): ${typed}`)
  return ok(typed)
}

const typeQuestion = ({ accountType }: InitAsked): Question<AccountType> => ({
  flag: '--type',
  given: accountType,
  question: '账户类型 STOCK、FUTURE 或 CREDIT（信用账户） (kind of account) [STOCK]: ',
  fallback: 'STOCK',
  parse: (text) => {
    const type = ACCOUNT_TYPES.find((known) => known === text.toUpperCase())
    return type === undefined ? err('请输入 STOCK、FUTURE 或 CREDIT (one of these)') : ok(type)
  },
})

const pythonQuestion = ({ python }: InitAsked): Question<string> => ({
  flag: '--python',
  given: python,
  question: '64 位 Python 的路径，回车 = python (path of a 64-bit Python, Enter = python): ',
  fallback: 'python',
  parse: (text) => ok(text === 'python' ? '' : text.replace(/^"(.*)"$/, '$1')),
})

const plainText =
  (what: string) =>
  (text: string): Result<string, string> =>
    text === '' || /\p{Cc}/u.test(text)
      ? err(`${what}：不能为空或含控制字符 (empty, or with control characters)`)
      : ok(text)

function yesOrNo(text: string): Result<boolean, string> {
  if (/^(y|yes|是)$/i.test(text)) return ok(true)
  if (/^(n|no|否|不)$/i.test(text)) return ok(false)
  return err('请输入 y 或 n (y or n)')
}
