import { extendTexts } from '../shared/texts.ts'

export const monitorTexts = {
  'monitor.title': ['Steward 监视', 'Steward monitor'],
  'monitor.readOnly': ['只读', 'Read only'],
  'nav.accounts': ['账户', 'Accounts'],
  'nav.health': ['健康', 'Health'],
  'nav.connection': ['连接', 'Connection'],
  'nav.api': ['接口文档', 'API'],
  'nav.wall': ['大屏', 'Wall'],
  'wall.leave': ['退出大屏', 'Leave wall mode'],

  'accounts.title': ['全部账户', 'All accounts'],
  'accounts.none': ['网关还没有账户', 'The gateway has no accounts yet'],
  'accounts.none.how': [
    '在配置文件的 accounts 里加入账户，或用 POST /api/v1/accounts 注册。',
    'Add accounts to the configuration file, or register one with POST /api/v1/accounts.',
  ],
  'accounts.total': ['合计总资产', 'Total of all accounts'],
  'accounts.healthy': ['{up} / {all} 已连接', '{up} of {all} connected'],
  'accounts.pending': ['在途委托', 'In flight'],
  'accounts.open': ['查看账户 {id}', 'Open account {id}'],
  'switch.why': [
    '读不到该账户的直连服务，开关状态未知',
    'The direct process of this account cannot be read',
  ],

  'account.positions': ['持仓', 'Positions'],
  'account.orders': ['委托', 'Orders'],
  'account.trades': ['成交', 'Trades'],
  'account.grids': ['网格', 'Grids'],
  'account.lost': [
    '超过 90 秒没有收到数据，页面上的数字是旧的。',
    'No data for more than 90 seconds: the figures on this page are old.',
  ],
  'account.onlyPending': ['只看在途', 'In flight only'],
  'account.unknown': ['网关没有账户 {id}', 'The gateway has no account {id}'],
  'stock.period': ['周期', 'Period'],
  'account.back': ['返回', 'Back'],
  'grid.none.how': [
    '网格在操作台里启动，这里只显示。',
    'Grids are started in the console; here they are only shown.',
  ],

  'stock.chart': ['走势', 'Chart'],
  'stock.fills': ['本账户成交', 'Own fills'],
  'stock.noBars': ['没有这只股票的行情数据', 'No market data for this stock'],

  'health.calls': ['调用统计', 'Calls'],
  'health.call': ['调用', 'Call'],
  'health.count': ['次数', 'Count'],
  'health.errors': ['错误', 'Errors'],
  'health.timeouts': ['超时', 'Timeouts'],
  'health.latency': ['耗时 均值 / p95', 'Time, mean / p95'],
  'health.connectedAt': ['连接时间', 'Connected at'],
  'health.missedSince': ['断开时间', 'Disconnected since'],
  'health.next': ['下次尝试', 'Next attempt'],
  'health.reason': ['最近一次失败', 'Last failure'],
  'health.lastPing': ['最近心跳', 'Last heartbeat'],
  'health.attempts': ['重连次数', 'Reconnects'],
  'health.quotes': ['行情接口', 'Market data'],
  'health.trading': ['交易接口', 'Trading'],
  'health.noMetrics': ['这个服务没有提供统计', 'This service offers no statistics'],
  'health.prometheus': ['Prometheus 指标', 'Prometheus metrics'],

  'connect.title': ['连接设置', 'Connection'],
  'connect.mode': ['后端', 'Backend'],
  'connect.mode.gateway': ['网关（多账户）', 'Gateway (several accounts)'],
  'connect.mode.direct': ['直连（单账户）', 'Direct (one account)'],
  'connect.address': ['地址（空 = 本页来源）', 'Address (empty = where this page came from)'],
  'connect.token': ['令牌（X-API-Token）', 'Token (X-API-Token)'],
  'connect.test': ['测试连接', 'Test the connection'],
  'connect.save': ['保存并使用', 'Save and use'],
  'connect.saved': ['已保存', 'Saved'],
  'connect.ok.gateway': [
    '连接成功：{healthy} / {total} 个账户在线',
    'It works: {healthy} of {total} accounts online',
  ],
  'connect.ok.direct': ['连接成功：账户 {id}', 'It works: account {id}'],
  'connect.noToken': [
    '服务在线，但令牌不被接受：读取数据会得到 401。',
    'The service is there but does not take the token: reading data will give 401.',
  ],
  'connect.timeout': ['8 秒内没有应答', 'No answer within 8 seconds'],
  'connect.mixed': [
    '本页用 https 打开，浏览器会拦截 http 地址。',
    'This page came over https: the browser blocks http addresses.',
  ],
  'connect.bad': [
    '地址要以 http:// 或 https:// 开头',
    'The address must begin with http:// or https://',
  ],
} as const

/** The translator of the monitor. */
export const t = extendTexts(monitorTexts)
