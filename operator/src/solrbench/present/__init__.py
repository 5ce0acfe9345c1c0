"""What people and programs read: tables, figures, pages, reports, CSV and JUnit.

It shows conclusions and makes none.
"""
