import type { ClusterView } from '../../../http/port/service.ts'
import type { Logger } from '../../observability/logger.ts'

/** Between two looks at the nodes. */
const LOOK_MS = 30_000

export interface RulesWatchOptions {
  readonly log: Pick<Logger, 'error'>
  readonly view: () => Promise<ClusterView>
}

/**
 * Says, once for each difference, that another node would run an account of this one by other rules: those of its own
 * file. An account that was taken over would else silently be sold or bought for by them.
 */
export class RulesWatch {
  readonly #options: RulesWatchOptions
  /** What differs from each node, as it was last said. */
  #told: ReadonlyMap<string, string> = new Map()
  #timer: NodeJS.Timeout | undefined

  constructor(options: RulesWatchOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_MS)
  }

  async look(): Promise<void> {
    const { node: self, isCurrent, apart } = await this.#options.view()
    if (!isCurrent) return // what was told last, or nothing
    const told = new Map<string, string>()
    for (const { nodes, fields } of apart) {
      const node = nodes.find((one) => one !== self)
      if (node === undefined || !nodes.includes(self)) continue
      const named = fields.join(', ')
      told.set(node, named)
      if (this.#told.get(node) === named) continue
      this.#options.log.error({ alert: 'rules_differ', node, fields: named }, OTHER_RULES)
    }
    this.#told = told
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

const OTHER_RULES =
  '该节点的配置文件里，这些交易设置与本机不同；账户换到另一台后会按那台的设置买卖：请让能运行同一账户的节点的 strategy、risk 和行情种类相同，然后重启改过的。在账户里保存过的设置随账户走，不受影响 (these settings are other ones in the configuration file of that node, and an account that moves is traded by those of the node that runs it: make strategy, risk and the kind of market the same at all nodes that may run the same account, and restart those that were changed. What was saved in an account travels with it)'
