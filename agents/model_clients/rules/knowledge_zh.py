"""What Chinese questions to the knowledge look like, and requests for its files."""

from agents.model_clients.rules import building as build
from agents.model_clients.rules.grammar import Rule, rule

_SHELF = r"(?:知识库|手册|指南|规章制度|制度|规章|规程)"
_KNOWLEDGE = rf"(?:我们的?|公司的?)?[^\s，,。：:？?！!；;]{{0,8}}?{_SHELF}"
_IN = r"(?:里面|里边|当中|里|中|上)?(?:的)?(?:文件|资料|文档|内容)?(?:里面|里|中)?"
_WHERE = rf"{_KNOWLEDGE}{_IN}"
_ABOUT = r"(?:关于|有关|对于|对)? ?"
_SAYS = r"(?:是)?(?:怎么|怎样|如何|咋)(?:说明|说|写|规定|要求|讲)(?:的)?"
_SEEK = r"(?:查询|查找|查查|查|搜索|搜搜|搜|检索|翻翻|翻|找找|找|看看|看|问问|问)(?:一下|下)?"
_THINGS = r"(?:的(?:内容|资料|规定|说明|信息))?"

ASKING: tuple[Rule, ...] = (
    rule(rf"{_WHERE} ?[，,]? ?{_ABOUT}(?P<query>.+?) ?{_SAYS}", build.ask_knowledge),
    rule(rf"{_WHERE} ?{_SAYS} ?{_ABOUT}(?P<query>.+)", build.ask_knowledge),
    rule(rf"(?:关于|对于) ?(?P<query>.+?) ?[，,]? ?{_WHERE} ?{_SAYS}", build.ask_knowledge),
    rule(
        rf"{_WHERE} ?(?:有没有|是否有?|有)(?:关于|有关|提到|说到|写到|讲到) ?"
        rf"(?P<query>.+?){_THINGS}",
        build.ask_knowledge,
    ),
    rule(
        rf"{_WHERE} ?{_ABOUT}(?P<query>.+?) ?的?(?:规定|要求|说明|内容)(?:是什么|是怎样的|有哪些)",
        build.ask_knowledge,
    ),
    rule(
        rf"{_KNOWLEDGE}(?:里面|里|中|上) ?[，,]? ?"
        r"(?P<query>(?!有(?:什么|哪些)).*(?:几|多少|什么|谁|哪|怎|如何|何时|多久|能不能|是否).*)",
        build.ask_knowledge,
    ),
    rule(
        rf"{_SEEK} ?{_WHERE} ?[:：，,]? ?{_ABOUT}(?P<query>.+?){_THINGS}",
        build.ask_knowledge,
    ),
    rule(
        rf"(?:在|从) ?{_WHERE} ?{_SEEK} ?[:：，,]? ?{_ABOUT}(?P<query>.+?){_THINGS}",
        build.ask_knowledge,
    ),
    rule(
        rf"(?:根据|按照|依据|依照|按) ?{_WHERE}(?:的规定|规定)? ?[，,：:]? ?"
        r"(?:告诉我)?(?P<query>.+)",
        build.ask_knowledge,
    ),
)

_FILE = r"(?:文件|原件|附件|PDF|课件|表格)"
_THAT = r"(?:这|那)(?:个|份|篇)"
_GIVE = r"(?:再)?(?:发送|发|传|给)(?:一份|一下)?(?:给)?我(?:一份|一下|看看)?"
_BEFORE = r"(?:刚才|刚刚|之前|前面|上面|上次)(?:说到|说过|提到|提过|引用|找到|用|说)?(?:过)?的?"
_NAMED = r"(?P<words>[^，,。；;？?！!]{1,120}?)"
_OF = rf"(?:{_THAT}|的)?"

SENDING: tuple[Rule, ...] = (
    rule(
        rf"(?:把|将)? ?(?:{_BEFORE} ?(?:{_THAT})? ?|{_THAT} ?){_FILE} ?(?:{_GIVE})?",
        build.send_earlier_file,
    ),
    rule(
        rf"(?:{_GIVE}|下载) ?(?:{_BEFORE} ?(?:{_THAT})? ?|{_THAT} ?){_FILE}",
        build.send_earlier_file,
    ),
    rule(rf"(?:把|将) ?{_FILE}[:：]? ?{_NAMED} ?{_GIVE}", build.send_file),
    rule(rf"(?:把|将) ?{_NAMED} ?{_OF} ?{_FILE} ?{_GIVE}", build.send_file),
    rule(
        rf"(?:把|将) ?(?P<words>[^，,。；;？?！!]{{0,60}}?{_SHELF}) ?{_GIVE}",
        build.send_file,
    ),
    rule(rf"(?:{_GIVE}|下载) ?{_FILE}[:：]? ?{_NAMED}", build.send_file),
    rule(rf"(?:{_GIVE}|下载) ?{_NAMED} ?{_OF} ?{_FILE}", build.send_file),
    rule(
        r"(?:在|从)?(?:哪里|哪儿|哪)(?:可以|能够|能)?下载 ?"
        rf"(?:到)?{_NAMED} ?(?:{_OF} ?{_FILE})?",
        build.send_file,
    ),
    rule(
        rf"{_NAMED} ?{_OF} ?(?:{_FILE})? ?(?:在|从)(?:哪里|哪儿|哪)(?:可以|能够|能)?下载",
        build.send_file,
    ),
)
