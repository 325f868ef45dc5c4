"""Days: what each person did and was like on one day, over the days before, and what all of it comes to.

Made from what people said in a space, one call a day for all of them; read by `about` and the context. Always true: a day that is over is
made once and never changes; today is made at most once an hour; the days before are put into one text when the day turns; what told, today
and history come to is made anew only when one of the three changed; words of a private channel stay in rows of their own (its *audience*).
"""
