"""The words in which questions are asked. They are dropped from a question, never from a text."""

import re

_WORDS = """
a about after again all also am an and any anything are as at be because been before being but by
can could d did do does doing done don for from had has have having he her hers him his how i if in
into is it its just know known let ll m many may me memory memories might mine much must my no not
of on or our ours please re recall remember remembered s said say shall she should so some someone
something still t tell than that the their theirs them then there these they this those to told us
ve was we were what when where which while who whom whose why will with would you your yours
"""
FILLERS = frozenset(_WORDS.split())
NAMES = frozenset({"May", "Will"})  # written so, and not at the beginning, they are none

# The longer ones first: at each place the first that fits is taken.
CJK_FILLERS = re.compile(
    "有没有|是不是|能不能|记不记得|之前说过|以前说过|跟你说过|告诉过你"
    "|说过|告诉|记得|记忆|回忆|想起|知道|关于"
    "|什么|怎么|怎样|哪里|哪些|哪个|哪儿|哪天|哪年|几点|几月|几号|多少|几个|为何|为什么|是否|请问|一下|我们|你们|他们|她们|自己|还有"
    "|[我你您他她它的了吗呢吧啊呀嘛么是在有和与及或也都还就这那谁哪几请把被让给对从到]"
)
