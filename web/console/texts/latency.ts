/** Texts of the screen that shows how long things take. */
export const latency = {
  'latency.title': ['耗时', 'Latency'],
  'latency.since': ['服务启动以来（{age}）', 'since the service began ({age})'],
  'latency.count': ['次数', 'Count'],
  'latency.max': ['最长', 'Longest'],
  'latency.strip': ['p50 至 p99，10 µs 至 10 s', 'p50 to p99, 10 µs to 10 s'],
  'latency.paths': ['从行情到报出', 'From the tick to the trading client'],
  'latency.paths.more': ['本账户', 'this account'],
  'latency.path': ['环节', 'Step'],
  'latency.path.tick_to_step': ['行情 → 开始判断', 'Tick → step'],
  'latency.path.tick_to_step.more': [
    '价格越过界线，到账户开始处理',
    'a price leaves its band, until the account looks',
  ],
  'latency.path.tick_to_intent': ['行情 → 委托意图', 'Tick → order intent'],
  'latency.path.tick_to_intent.more': ['只计产生了委托的行情', 'only ticks that led to an order'],
  'latency.path.step_to_durable': ['判断 → 落盘', 'Step → durable'],
  'latency.path.step_to_durable.more': [
    '一次处理的结果写入磁盘',
    'what a step has decided is on disk',
  ],
  'latency.path.durable_to_submit': ['落盘 → 报出', 'Durable → submit'],
  'latency.path.durable_to_submit.more': [
    '委托落盘后交给交易客户端',
    'an order on disk leaves for the trading client',
  ],
  'latency.elsewhere': ['这个账户由另一个进程运行', 'Another process runs this account'],
  'latency.elsewhere.how': [
    '它的耗时只有那个进程知道，请打开那里的操作台。',
    'Only that process knows how long it takes: open its console.',
  ],
  'latency.routes': ['HTTP，按路由', 'HTTP by route'],
  'latency.routes.more': [
    '从收到请求头到发出应答，次数多的在前',
    'from the head of a request to its answer, most asked first',
  ],
  'latency.routes.all': ['全部 {n} 条', 'All {n}'],
  'latency.routes.fewer': ['只看前面的', 'Fewer'],
  'latency.route': ['路由', 'Route'],
  'latency.route.none': [
    '路由之外：页面文件、未知路径、提前拒绝',
    'Outside the routes: files of the pages, unknown paths, early refusals',
  ],
  'latency.direct': ['直连', 'direct mode'],
  'latency.gateway': ['网关', 'gateway'],
} as const
