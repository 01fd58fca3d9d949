import { z } from 'zod'
import { limitsOf } from './drivers.ts'
import { count } from './fields.ts'
import { account } from './limits/account.ts'
import { cluster } from './limits/cluster.ts'
import { http } from './limits/http.ts'
import { audit, log } from './limits/journals.ts'
import { market } from './limits/market.ts'
import { jobs, runtime } from './limits/process.ts'
import { backup, examine, store } from './limits/store.ts'

/** Every queue, retry, timeout, cache and loop has its bound here, or beside its driver; the unit is in the name. */
export const limitsSchema = z
  .strictObject({
    accounts_max: count(128, 1, 4_096, '一个进程的账户数 (accounts in one process)'),
    runtime: runtime.prefault({}),
    market: market.prefault({}),
    cluster: cluster.prefault({}),
    store: store.prefault({}),
    backup: backup.prefault({}),
    ...limitsOf('embedded'),
    account: account.prefault({}),
    ...limitsOf('real'),
    http: http.prefault({}),
    jobs: jobs.prefault({}),
    examine: examine.prefault({}),
    audit: audit.prefault({}),
    log: log.prefault({}),
  })
  .prefault({})

export type Limits = z.output<typeof limitsSchema>
