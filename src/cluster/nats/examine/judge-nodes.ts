import { type Finding, fail, fine, warn } from '../../../domain/finding.ts'
import { calendarFrom, isSameCalendar } from '../../protocol/calendar.ts'
import { fieldsApart, type Runnable, rulesApart } from '../../rules-apart.ts'
import type { NodeFacts } from './facts.ts'

/** Nodes that run with other days than the configuration of this computer has, with the program of this command. */
export function daysFindings(
  facts: readonly NodeFacts[],
  own: { readonly days: string; readonly version: string; readonly nowMs: number },
): Finding[] {
  const fromYear = calendarFrom(own.nowMs)
  const others = facts.filter(
    ({ days }) => days !== undefined && !isSameCalendar(days, own.days, fromYear),
  )
  const silent = facts.filter(({ days }) => days === undefined)
  const named = (all: readonly NodeFacts[]): string =>
    all.map(({ node, version }) => `${node} (${version})`).join(', ')
  const found: Finding[] = []
  if (others.length > 0) {
    // The table of another release may be the longer one, as while computers are updated one after the other.
    const isOneRelease = others.some(({ version }) => version === own.version)
    found.push(
      (isOneRelease ? fail : warn)(
        'closed_days',
        `这些节点运行时的休市日与本机配置不同 (these nodes run with other closed days than this configuration has)：${named(others)}`,
        '让所有节点和网关的 closed_days 相同、程序版本一致，然后重启改过的 (make closed_days and the version of the program the same at every node and gateway, and restart those that were changed)',
      ),
    )
  }
  if (silent.length > 0) {
    found.push(
      warn(
        'closed_days',
        `这些节点的休市日无法核实 (the closed days of these nodes cannot be verified)：${named(silent)}`,
        '它们是不说明此事的旧版本：更新后再检查 (they are of earlier releases, which do not say: look again when they are updated)',
      ),
    )
  }
  if (found.length > 0 || facts.length === 0) return found
  return [
    fine('closed_days', `${facts.length} 个节点与本机相同 (the same at ${facts.length} nodes)`),
  ]
}

/** What the file of this computer says, where `check` reads it. */
export interface OwnFile {
  /** By which this node would run an account; undefined: a gateway, which runs none. */
  readonly rules: string | undefined
  readonly node: string
  readonly version: string
  readonly accounts: readonly Runnable[]
}

/** Nodes that would run an account of one another by other settings. The file of this computer counts for its node. */
export function rulesFindings(facts: readonly NodeFacts[], own: OwnFile): Finding[] {
  const { node: self, version, rules, accounts } = own
  const others = facts.filter(({ node }) => node !== self)
  const told = rules === undefined ? others : [{ node: self, rules }, ...others]
  const versions = new Map(facts.map((one) => [one.node, one.version])).set(self, version)
  const found = rulesApart(told, accounts).map(({ nodes, fields }) => {
    // Of another release: what one sets is the default of the other, or is not known to it.
    const isOneRelease = versions.get(nodes[0]) === versions.get(nodes[1])
    const named = `${nodes.join('、')}：${fields.join(', ')}`
    return (isOneRelease ? fail : warn)(
      'rules',
      `这些节点的交易设置不同，账户换到另一台后会按那台的买卖 (these nodes trade by other settings, so an account that moves is traded otherwise)：${named}`,
      '让能运行同一账户的节点的 strategy、risk 和行情种类相同，然后重启改过的 (make strategy, risk and the kind of market the same at all nodes that may run the same account, and restart those that were changed)',
    )
  })
  const former = facts.find(({ node }) => node === self)
  const changed = former && rules !== undefined && fieldsApart(former.rules, rules)
  if (changed && changed.length > 0) {
    found.push(
      warn(
        'rules',
        `本节点运行时用的还是改动前的配置 (this node runs with the configuration of before)：${changed.join(', ')}`,
        '收盘后重启本节点 (restart this node after the close)',
      ),
    )
  }
  const silent = others.filter((one) => one.rules === undefined)
  if (silent.length > 0) {
    found.push(
      warn(
        'rules',
        `这些节点的交易设置无法核实 (the settings of these nodes cannot be verified)：${silent.map(({ node, version }) => `${node} (${version})`).join(', ')}`,
        '它们是不说明此事的旧版本：更新后再检查 (they are of earlier releases, which do not say: look again when they are updated)',
      ),
    )
  }
  if (found.length > 0 || facts.length === 0) return found
  return [fine('rules', `${facts.length} 个节点的交易设置相同 (${facts.length} nodes trade alike)`)]
}

/** Accounts that a finding names; of more it says how many there are. */
const NAMED_MAX = 6

/** Nodes that take no account over that lives with the other kind of trading client: nobody is there for it but its own. */
export function clientFindings(facts: readonly NodeFacts[]): Finding[] {
  const found = facts.flatMap(({ node, otherClient = [] }) => {
    if (otherClient.length === 0) return []
    const more = otherClient.length > NAMED_MAX ? ` … (${otherClient.length})` : ''
    const named = `${otherClient.slice(0, NAMED_MAX).join(', ')}${more}`
    return [
      fail(
        'trading_client',
        `节点 ${node} 给这些账户配置的交易客户端与运行它们的不是一类（一个真实，一个内置模拟），它不会接管 (the file of ${node} has another kind of trading client for these accounts than they live with, a real one or the embedded one, and it takes none of them over)：${named}`,
        '让能运行同一账户的节点的 driver（不写时随 market.source）相同，然后重启改过的 (make driver, which follows market.source where it is not said, the same at all nodes that may run the same account, and restart those that were changed)',
      ),
    ]
  })
  const silent = facts.filter(({ otherClient }) => otherClient === undefined)
  if (silent.length > 0) {
    found.push(
      warn(
        'trading_client',
        `这些节点的交易客户端无法核实 (the trading clients of these nodes cannot be verified)：${silent.map(({ node, version }) => `${node} (${version})`).join(', ')}`,
        '它们是不说明此事的旧版本：更新后再检查 (they are of earlier releases, which do not say: look again when they are updated)',
      ),
    )
  }
  if (found.length > 0 || facts.length === 0) return found
  return [
    fine(
      'trading_client',
      `${facts.length} 个节点的交易客户端与账户相符 (the trading clients of ${facts.length} nodes are those of the accounts)`,
    ),
  ]
}
