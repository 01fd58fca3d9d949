import { flag, fromEnvironment, offered, openFlag, seconds } from './row.ts'

/** What holds for an account as a whole, whoever acts in it. */
export const accountRows = {
  ENABLE_AUTO_OPERATION: offered(
    flag(false, ['全部策略的总开关', 'master switch of all strategies; paper accounts only']),
    { name: 'globalAutoOperation', label: ['总开关', 'Master switch'], saved: 'run' },
  ),
  ENABLE_ALLOW_BUY: offered(
    flag(true, ['允许买入（人工和策略）', 'buying is permitted, by hand and by strategy']),
    { name: 'allowBuy', label: ['允许买入', 'Buying allowed'] },
  ),
  ENABLE_ALLOW_SELL: offered(
    flag(true, ['允许卖出（人工和策略）', 'selling is permitted, by hand and by strategy']),
    { name: 'allowSell', label: ['允许卖出', 'Selling allowed'] },
  ),
  ENABLE_SIMULATION_MODE: offered(
    fromEnvironment(
      openFlag([
        '委托只记在内存里；模拟客户端默认关，真实客户端默认开',
        'orders stay inside; default off on the paper driver, on with a real one',
      ]),
    ),
    { name: 'simulationMode', label: ['模拟模式', 'Simulation mode'], saved: 'run' },
  ),
  MONITOR_LOOP_INTERVAL: seconds(3, 0.1, 60, ['两次检查之间的时间', 'seconds between passes']),
} as const
