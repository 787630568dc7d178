"""What Chinese requests look like. Patterns match whole clauses; " ?" is optional white space."""

import re

from agents.model_clients.rules import building as build
from agents.model_clients.rules.dates_zh import CONVERTING, DATES, SUMS
from agents.model_clients.rules.grammar import Rule, rule
from agents.model_clients.rules.text import URL_IN_CHINESE

URL_ = re.compile(URL_IN_CHINESE)
_VERBS = (
    "请|帮我|把|将|抓取|获取|下载|打开|访问|读|保存|另存|存|记|删|移除|创建|新建|写|添加|列|显示"
    "|展示|"
    "查|看|搜|找|计算|算|告诉|总结|概括|解释|说说|追加|替换|改|转换|今天|现在|明天|不要|别|在文档"
    "|给文档|"
    "发|翻译|打印|分享|上传|转发|比较"
)
SEPARATOR = re.compile(
    r"(?<!\s)[^\S\n]*+(?:[。！？；\n]|[!?;.]++(?=\s))+\s*+"
    r"|(?<!\s)\s*+[，,、]?\s*+(?:然后|并且|并|再|接着|之后|以及|最后|顺便|同时|和)+"
    rf"(?=\s*(?:{_VERBS}))"
    rf"|(?<!\s)\s*+[，,]\s*+(?={_VERBS})|(?<!\s)\s++(?=保存|另存|删除|告诉我|总结|概括)"
)
_BEFORE = re.compile(
    r"(?:[\s，,。：:！!]|请问|请你|请|麻烦你?|帮我|帮忙|替我|你好|您好|你能不能|你能|能不能"
    r"|可不可以|能否|可以|"
    r"我想知道|我想要|我想|我要|告诉我|然后|并且|并|再|接着|之后|以及|最后|顺便|同时|和)+"
)
_AFTER = re.compile(
    r"(?:[\s。？；，、.?;,！：:]|(?<!\d)!|谢谢|吧|一下|好吗|可以吗|行吗|吗|呢|啊)+$"
)

_KIND = r"(?P<kind>记忆文档|文档|文件|笔记|页面|记忆|备忘录|备忘)"
_A = r"(?:一个|一份|一篇|一条|个|条|篇|份|新的|新)*"
_CALLED = r"(?:叫做|叫作|名叫|名为|名称为|名字叫|名字是|名字为|标题为|标题是|标题叫|标题|题为|叫)"
_IT = (
    r"(?:它的内容|它们?|这个|这些|网页内容|页面内容|其内容|抓取的内容|内容|结果|网页|页面|"
    r"正文|答案)"
)
_MINE = r"(?:我的|我|那个|这个|那篇|这篇|那条|这条)?"
_THE_URL = (
    r"(?:这个|该)?(?:网页|网址|网站|页面|链接|地址|内容)? ?[:：]? ?"
    rf"(?P<url>{URL_IN_CHINESE}) ?(?:的|这个|上的|里的|页面|网页|网站|内容|正文|网址|链接)*"
)
_TITLED = rf"{_KIND} ?(?:里|中)?[，,]? ?(?:{_CALLED}|[:：])? ?(?P<title>.{{1,255}}?)"
_NAMED_AFTER = rf"(?:{_CALLED})? ?(?P<title>.{{1,255}}?) ?(?:这个|这篇|这条|那个|的)? ?{_KIND}"
_MAKE = rf"(?:创建|新建|建立|建|写|添加|新增|生成|保存|起草){_A} ?"
_CONTENT = r"[，,。；\s]*+ ?(?:内容|正文)(?:写着|写|为|是)? ?[:：]? ?"
_KEEP = (
    rf"(?:(?:把|将) ?{_IT} ?)?(?:保存|另存|存储|存|记录|写) ?(?:{_IT})? ?(?:下来)?"
    rf"(?:为|成|到|进|在)? ?(?:我的)?{_A} ?"
)
_TAKE = r"(?:把|将|抓取|获取|下载|打开|访问|读取)?"
_REMOVE = r"(?:删除掉|删除|删掉|删去|删|移除|去掉)"
_SHOW = r"(?:读取|阅读|读一下|读|打开|查看|显示|展示|看一下|看看|看)(?:一下)?"
_SEEK = r"(?:搜索|搜寻|查找|搜一下|找一下|查一下|搜|找|查)(?:一下)?"
FREE: tuple[Rule, ...] = (
    rule(
        rf"{_MAKE}{_CALLED} ?(?P<title>.{{1,255}}?) ?的 ?{_KIND}{_CONTENT}{_THE_URL}",
        build.fetch_and_save,
    ),
    rule(rf"{_MAKE}{_TITLED}{_CONTENT}{_THE_URL}", build.fetch_and_save),
    rule(rf"{_MAKE}{_CALLED} ?(?P<title>.{{1,255}}?) ?的 ?{_KIND}{_CONTENT}{_IT}", build.save),
    rule(rf"{_MAKE}{_TITLED}{_CONTENT}{_IT}", build.save),
    rule(
        rf"{_MAKE}{_CALLED} ?(?P<title>.{{1,255}}?) ?的 ?{_KIND}{_CONTENT}(?P<text>.+)",
        build.create_free,
    ),
    rule(
        rf"{_MAKE}{_CALLED} ?(?P<title>.{{1,255}}?) ?的 ?{_KIND} ?[:：](?!//) ?(?P<text>.+)",
        build.create_free,
    ),
    rule(rf"{_MAKE}{_TITLED}{_CONTENT}(?P<text>.+)", build.create_free),
    rule(
        r"(?:新建|创建|添加|保存|写|新增)(?:一条|一个|条|个|新)*(?:记忆|备忘录|备忘) ?[:：] ?"
        r"(?P<text>.+)",
        build.remember,
    ),
    rule(
        rf"{_MAKE}{_KIND} ?(?:{_CALLED})? ?(?P<title>[^:：]{{1,255}})[:：](?!//) ?(?P<text>.+)",
        build.create_free,
    ),
    rule(
        rf"(?:在|给|往|向) ?{_MINE}{_TITLED} ?(?:的)?(?:后面|末尾|最后|后|里面|里|中)? ?"
        r"(?:追加|添加|加上|加入|补充|写入|加)(?:一行|一句|一段|内容)? ?[:：]? ?(?P<text>.+)",
        build.append_free,
    ),
    rule(
        rf"(?:在|给|往|向) ?{_NAMED_AFTER} ?(?:的)?(?:后面|末尾|最后|后|里面|里|中)? ?"
        r"(?:追加|添加|加上|加入|补充|写入|加)(?:一行|一句|一段|内容)? ?[:：]? ?(?P<text>.+)",
        build.append_free,
    ),
    rule(
        rf"(?:把|将) ?{_MINE}{_TITLED} ?的?(?:内容|正文)(?:全部)?(?:替换|更新|修改|更改|改|换)"
        rf"(?:为|成)? ?[:：]? ?"
        r"(?P<text>.+)",
        build.replace_free,
    ),
    rule(
        r"(?:记住|记下来|记下|记一下|记好|别忘了|别忘记|不要忘记|不要忘了|请记得|记得|记录下来"
        r"|记录一下|记)"
        r"[，,:：\s]*+ ?(?:一下|的是)?[，,:：]* ?(?P<text>.+)",
        build.remember,
    ),
)

_FETCHING: tuple[Rule, ...] = (
    rule(
        rf"{_TAKE} ?{_THE_URL} ?(?:保存|另存|存)(?:下来)?(?:为|成|到|进|在) ?(?:我的)?{_A} ?"
        rf"{_CALLED} ?(?P<title>.{{1,255}}?) ?的 ?{_KIND}",
        build.fetch_and_save,
    ),
    rule(
        rf"{_TAKE} ?{_THE_URL} ?(?:保存|另存|存)(?:下来)?(?:为|成|到|进|在) ?(?:我的)?{_A} ?"
        rf"{_TITLED}",
        build.fetch_and_save,
    ),
    rule(
        rf"(?:保存|存下) ?{_THE_URL}(?:(?:为|成|到) ?{_A} ?(?:{_TITLED}|"
        rf"{_KIND.replace('kind', 'kind_alone')}))?",
        build.fetch_and_save,
    ),
    rule(
        r"(?:抓取|抓|获取|下载|打开|访问|读取|读一下|读|看看|看一下|查看|看|拉取|爬取|取回|取"
        r"|请求|浏览|fetch)"
        rf"(?:一下|下)? ?{_THE_URL}",
        build.fetch,
    ),
    rule(rf"(?:把|将) ?{_THE_URL} ?(?:抓取|抓|下载|取)(?:下来|回来)?", build.fetch),
    rule(rf"(?P<url>{URL_IN_CHINESE})", build.fetch),
    rule(
        rf"(?:总结|概括|归纳|介绍|翻译|解释|说说|讲讲|告诉我)(?:一下|下)? ?{_THE_URL}(?:是什么"
        rf"|说了什么)?",
        build.fetch_and_explain,
    ),
    rule(
        rf"{_THE_URL} ?(?:上|里|里面)?(?:(?:说|讲|写)了?些?什么|有什么|是什么|是关于什么的?)",
        build.fetch_and_explain,
    ),
    rule(
        r"(?:总结|概括|归纳|解释|翻译|说说|讲讲|介绍|显示|展示|看看|读)(?:一下|下)?(?:给我)?"
        rf"(?:{_IT}|大意|要点|重点)?(?:给我听|给我看)?(?:(?:说|讲|写)了?些?什么|是什么)?",
        build.explain,
    ),
    rule(
        r"(?:它|这个|网页|页面|里面|上面)(?:说|讲|写)了?些?什么|它?是什么内容|内容(?:是什么)?"
        r"|大意|要点",
        build.explain,
    ),
)

_SAVING: tuple[Rule, ...] = (
    rule(rf"{_KEEP}{_CALLED} ?(?P<title>.{{1,255}}?) ?的 ?{_KIND}", build.save),
    rule(rf"{_KEEP}{_TITLED}", build.save),
    rule(rf"{_KEEP}{_KIND}", build.save),
    rule(
        rf"(?:(?:把|将) ?{_IT} ?)?(?:保存|另存|存) ?(?:为|成) ?(?:{_CALLED})? ?(?P<title>.+)",
        build.save,
    ),
    rule(rf"(?:保存|存)(?:{_IT})?(?:下来)?|(?:把|将) ?{_IT} ?(?:保存|存)(?:下来)?", build.save),
    rule(rf"{_MAKE}{_TITLED}{_CONTENT}(?P<text>[\"“「『].+)", build.create),
    rule(
        rf"{_MAKE}{_CALLED} ?(?P<title>.{{1,255}}?) ?的 ?{_KIND}{_CONTENT}(?P<text>[\"“「『].+)",
        build.create,
    ),
    rule(rf"{_MAKE}{_CALLED} ?(?P<title>.{{1,255}}?) ?的 ?{_KIND}", build.create_without_content),
    rule(rf"{_MAKE}(?:{_TITLED}|(?:文档|文件|笔记|记忆))", build.create_without_content),
)

_DOCUMENTS: tuple[Rule, ...] = (
    rule(
        rf"(?:列出|列一下|列|显示|查看|展示|看看|看一下|看)(?:一下)?{_MINE}(?:所有|全部)?的?{_KIND}"
        r"(?:列表|清单)?[，,]? ?(?:的?第 ?(?P<page>\d{1,4}) ?页)?",
        build.list_documents,
    ),
    rule(rf"我?(?:都|现在)?有(?:哪些|什么|多少|几)(?:个|篇|份|条)?{_KIND}", build.list_documents),
    rule(
        rf"(?:我的)?{_KIND}(?:列表|清单|(?:里面|里|中)?(?:有哪些|都有什么|有什么))",
        build.list_documents,
    ),
    rule(r"列出(?:全部|所有|一切)(?:内容|东西)?", build.list_everything),
    rule(
        rf"在? ?(?:我的|我|所有)*{_KIND}(?:里面|当中|里|中|内)? ?{_SEEK}(?:关于|有关|包含|含有"
        rf"|提到)? ?[:：]? ?"
        r"(?P<query>.+?)(?:的(?:内容|东西))?",
        build.search,
    ),
    rule(
        rf"{_SEEK}(?:出)?(?:关于|有关|包含|提到|含有)? ?(?P<query>.+?) ?的(?:所有)?{_KIND}",
        build.search,
    ),
    rule(
        rf"{_SEEK}(?:我的|我|所有)*{_KIND}(?:里面|里|中)?(?:关于|有关|包含|含有|提到)? ?[:：]? ?"
        rf"(?P<query>.+)",
        build.search,
    ),
    rule(
        rf"(?:哪些|哪个|哪篇|哪条){_KIND}(?:里)?(?:提到|包含|关于|有关|含有|有)了? ?(?P<query>.+)",
        build.search,
    ),
    rule(r"(?:搜索|查找)(?:一下)? ?(?P<query>.+)", build.search),
    rule(rf"{_REMOVE}(?:我的)?(?:所有|全部|一切|每).*|清空.*", build.say("one_at_a_time")),
    rule(rf"(?:把|将) ?{_MINE}(?:所有|全部).*{_REMOVE}.*", build.say("one_at_a_time")),
    rule(rf"(?:把|将) ?{_MINE}{_TITLED} ?{_REMOVE}了?", build.delete),
    rule(rf"(?:把|将) ?{_MINE}{_NAMED_AFTER} ?{_REMOVE}了?", build.delete),
    rule(rf"{_REMOVE} ?{_MINE}{_KIND}", build.which_to_delete),
    rule(rf"{_REMOVE} ?{_MINE}{_TITLED}", build.delete),
    rule(rf"{_REMOVE} ?{_MINE}{_NAMED_AFTER}", build.delete),
    rule(rf"{_REMOVE} ?(?P<title>.{{1,80}})", build.delete),
    rule(r"(?:忘记|忘掉|忘了)(?:关于)? ?(?P<text>.+)", build.forget),
    rule(rf"{_SHOW} ?{_MINE}{_TITLED}(?:的内容)?", build.read),
    rule(rf"{_SHOW} ?{_MINE}{_NAMED_AFTER}(?:的内容)?", build.read),
    rule(
        rf"{_MINE}{_TITLED} ?(?:里面|里|中)?(?:(?:写|说|讲)了?些?什么|的?内容是什么|有什么)",
        build.read,
    ),
    rule(rf"(?:总结|概括|介绍|解释)(?:一下)? ?{_MINE}{_TITLED}(?:的内容)?", build.read_and_explain),
    rule(
        rf"(?:把|将) ?{_IT} ?(?:追加|添加|加|补充)(?:到|进|在) ?{_MINE}{_TITLED} ?(?:的?(?:后面"
        rf"|末尾|里面|里|中))?",
        build.change_it(append=True),
    ),
    rule(
        rf"(?:把|将) ?(?P<text>.+?) ?(?:追加|添加|加|补充)(?:到|进|在) ?{_MINE}{_TITLED} ?"
        r"(?:的?(?:后面|末尾|里面|里|中))?",
        build.append,
    ),
    rule(
        rf"(?:追加|添加|加)(?:到|进) ?{_MINE}{_TITLED} ?(?:的?(?:后面|末尾|里面|里|中))?",
        build.change_it(append=True),
    ),
    rule(
        rf"(?:把|将) ?{_MINE}{_TITLED} ?的?(?:内容|正文)(?:全部)?(?:替换|更新|修改|更改|改|换)"
        rf"(?:为|成)? ?{_IT}",
        build.change_it(append=False),
    ),
    rule(
        rf"(?:把|将)? ?{_MINE}{_TITLED} ?(?:重命名|改名|更名)(?:为|成|叫)? ?[:：]? ?(?P<new>.+)",
        build.rename,
    ),
)

_WHAT = r"(?:什么时候|什么|谁|哪里|哪儿|哪一个|哪个|哪天|哪|几号|多少|几)"
_RECALLING: tuple[Rule, ...] = (
    rule(
        r"(?:关于|对于) ?(?P<topic>.+?)[，,]? ?你(?:还|都)?(?:记得|知道|记住)了?(?:些)?什么",
        build.recall,
    ),
    rule(
        r"你?(?:还|都)?(?:记得|知道|记住了?)(?:关于) ?(?P<topic>.+?)(?:的)?(?:些)?(?:什么|哪些)?"
        r"(?:事|事情|内容)?",
        build.recall,
    ),
    rule(r"你?(?:还|都)?(?:记得|知道|记住了?)(?:些|哪些)?(?:什么|哪些)?(?:事|事情)?", build.recall),
    rule(rf"你?(?:还|都)?(?:记得|知道)(?P<topic>我.+?)(?:是|在|叫)?{_WHAT}?", build.recall),
    rule(rf"我的?(?P<topic>.+?)(?:是|在|叫)?{_WHAT}(?:名字)?", build.recall),
    rule(r"(?:回忆|想想|回想)(?:一下)?(?:关于)? ?(?P<topic>.+)", build.recall),
)

RULES: tuple[Rule, ...] = (
    rule(r"(?:不要|别|不用|不必|切勿|请勿|勿|千万别)(?!忘).+", build.say("left_alone")),
    rule(
        r"(?:你是谁|你会什么|你会做什么|你能做什么|帮助|怎么连接.*|如何连接.*)", build.say("help")
    ),
    *_FETCHING,
    *CONVERTING,
    *DATES,
    *SUMS,
    *_SAVING,
    *_DOCUMENTS,
    *_RECALLING,
)


def without_lead(text: str) -> str:
    match = _BEFORE.match(text)
    return text[match.end() :] if match else text.strip()


def without_tail(text: str) -> str:
    return _AFTER.sub("", text)
