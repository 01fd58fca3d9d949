import { configured, type Given, type Wrong, wrong } from './words.ts'

/** What is to be done about the servers of a cluster. */
export type ClusterAsked =
  /** `operatorFile`: seed of who may ask the servers about themselves. */
  | { readonly verb: 'check'; readonly operatorFile?: string }
  /** `nkeyFile`: seed of who may make streams; absent: the user of this computer tries. */
  | { readonly verb: 'init'; readonly nkeyFile?: string }
  /** `file` takes the seed. */
  | { readonly verb: 'key'; readonly file: string }
  /** `nkeyFile`: as with init, of who may empty streams. `keepDays`: trading days before today whose records stay. */
  | { readonly verb: 'purge'; readonly nkeyFile?: string; readonly keepDays: number }
  /** `accounts`: absent, all of the configuration and those that were registered here. */
  | { readonly verb: 'join'; readonly accounts?: readonly string[] }
  /** `isLost`: the servers are gone for good and are not asked. */
  | { readonly verb: 'leave'; readonly accounts?: readonly string[]; readonly isLost: boolean }

const VERBS = ['check', 'init', 'join', 'leave', 'purge', 'key'] as const
type Verb = (typeof VERBS)[number]
const LIST = `${VERBS.slice(0, -1).join(', ')} or ${VERBS.at(-1)}`
const VERB = '--verb'
const NEEDS_VERB = wrong(
  `steward cluster 后面要写做什么：${LIST} (steward cluster needs a verb: ${LIST})`,
)
/** Whose each is, besides those that say which configuration. */
const OWNERS: Readonly<Record<string, readonly Verb[]>> = {
  '--operator': ['check'],
  '--nkey': ['init', 'purge'],
  '--to': ['key'],
  '--account': ['join', 'leave'],
  '--force-lost': ['leave'],
  '--keep-days': ['purge'],
}
const KEEP_DAYS = 1
const KEEP_DAYS_MAX = 30

export const cluster = configured({
  name: 'cluster',
  usage:
    'steward cluster check [--operator F] | init [--nkey F] | join [--account ID,ID] | leave [--account ID,ID] [--force-lost] | purge --nkey F [--keep-days N] | key --to F [--config F]',
  text: 'looks at the NATS servers of a cluster, makes their streams, takes accounts in or out, removes old records, or makes the key of a user; 1 when something is to mend',
  chinese:
    '检查集群的 NATS 服务器（有问题时退出码为 1）、建立日志流、让账户加入或退出集群、清理旧记录，或生成用户密钥',
  options: [
    [
      '--operator F',
      '与 check 同用：运维用户的种子文件，可查看服务器自身',
      'with check: seed of the operator, who may ask the servers about themselves',
    ],
    [
      '--nkey F',
      '与 init、purge 同用：可建立和清理日志流的用户的种子文件；缺省为 cluster.nkey_file',
      'with init and purge: seed of the user that may make and empty streams; else cluster.nkey_file',
    ],
    [
      '--account ID,ID',
      '与 join、leave 同用：这些账户；缺省为配置中的全部，以及在这里注册的',
      'with join and leave: these accounts; else all of the configuration, and those that were registered here',
    ],
    [
      '--force-lost',
      '与 leave、--account 同用：服务器永久失去；不询问任何服务器，与券商核对之前不下单',
      'with leave, and --account: the servers are lost for good; nothing is asked, and orders wait until the account was compared with the broker',
    ],
    [
      '--keep-days N',
      `与 purge 同用：保留今天之前多少个交易日的记录，0 至 ${KEEP_DAYS_MAX}（${KEEP_DAYS}）`,
      `with purge: trading days before today whose records stay, 0 to ${KEEP_DAYS_MAX} (${KEEP_DAYS})`,
    ],
    [
      '--to F',
      '与 key 同用：尚不存在的文件，用来存放种子（必填）；公钥显示在屏幕上',
      'with key: file that does not exist yet, for the seed (required); prints the public key',
    ],
    [`${VERB} V`, `${VERBS.join('、')}，与只写 V 相同`, `${LIST}, the same as V alone`],
  ],
  flags: ['--force-lost'],
  words: ([verb, ...options]) => {
    if (verb === undefined) return NEEDS_VERB
    if (verb.startsWith('-')) return [verb, ...options]
    return [VERB, verb, ...options]
  },
  own: (given): { readonly asked: ClusterAsked } | Wrong => {
    const verb = VERBS.find((each) => each === given.get(VERB))
    if (verb === undefined) {
      const said = given.get(VERB)
      if (said === undefined) return NEEDS_VERB
      return wrong(
        `没有命令 "cluster ${said}"；应为 ${LIST} (unknown command "cluster ${said}"; it is ${LIST})`,
      )
    }
    for (const [option, owners] of Object.entries(OWNERS)) {
      if (!given.has(option) || owners.includes(verb)) continue
      const whose = `steward cluster ${owners.join(' and ')}`
      return wrong(`${option} 属于 ${whose} (${option} belongs to ${whose})`)
    }
    return READ[verb](given)
  },
})

type Read = (given: Given) => { readonly asked: ClusterAsked } | Wrong

const fileOf = <Key extends string>(given: Given, option: string, key: Key) => {
  const file = given.get(option)
  return (file === undefined ? {} : { [key]: file }) as { readonly [K in Key]?: string }
}

const READ: Readonly<Record<Verb, Read>> = {
  check: (given) => ({ asked: { verb: 'check', ...fileOf(given, '--operator', 'operatorFile') } }),
  init: (given) => ({ asked: { verb: 'init', ...fileOf(given, '--nkey', 'nkeyFile') } }),
  key: (given) => {
    const file = given.get('--to')
    if (file === undefined)
      return wrong('steward cluster key 需要 --to 文件 (steward cluster key needs --to FILE)')
    return { asked: { verb: 'key', file } }
  },
  join: (given) => ({ asked: { verb: 'join', ...accountsOf(given) } }),
  leave: (given) => {
    const isLost = given.has('--force-lost')
    if (isLost && !given.has('--account'))
      return wrong('--force-lost 须与 --account 同用 (--force-lost needs --account)')
    return { asked: { verb: 'leave', ...accountsOf(given), isLost } }
  },
  purge: (given) => {
    const text = given.get('--keep-days') ?? `${KEEP_DAYS}`
    const keepDays = Number(text)
    if (!/^\d{1,2}$/.test(text) || keepDays > KEEP_DAYS_MAX) {
      return wrong(
        `--keep-days 是 "${text}"；须为天数，0 至 ${KEEP_DAYS_MAX} (--keep-days is "${text}"; it is a number of days, 0 to ${KEEP_DAYS_MAX})`,
      )
    }
    return { asked: { verb: 'purge', ...fileOf(given, '--nkey', 'nkeyFile'), keepDays } }
  },
}

function accountsOf(given: Given): { readonly accounts?: readonly string[] } {
  const text = given.get('--account')
  return text === undefined ? {} : { accounts: [...new Set(text.split(',').filter(Boolean))] }
}
